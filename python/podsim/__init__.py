"""podsim"""
