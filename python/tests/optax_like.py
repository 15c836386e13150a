"""Functions that hold what those of optax hold, which is not installed here."""

import types


def made(update):
    return types.SimpleNamespace(init=None, update=update)


def chain(*update_fns):
    def update_fn():
        return update_fns
    return update_fn


def scale_by_adam(b1=0.9, b2=0.999, eps=1e-8, eps_root=0.0, mu_dtype=None, nesterov=False):
    def update_fn():
        return b1, b2, eps, eps_root, mu_dtype, nesterov
    return update_fn


def clip_by_global_norm(max_norm):
    def update_fn():
        return max_norm
    return update_fn


def clip(max_delta):
    def update_fn():
        return max_delta
    return update_fn


def add_decayed_weights(weight_decay):
    def update_fn():
        return weight_decay
    return update_fn


def scale_by_trust_ratio(min_norm=0.0, trust_coefficient=1.0, eps=0.0):
    def update_fn():
        return min_norm, trust_coefficient, eps
    return update_fn


def trace(decay, nesterov=False, accumulator_dtype=None):
    def update_fn():
        return decay, nesterov, accumulator_dtype
    return update_fn


def scale(step_size):
    def update_fn():
        return step_size
    return update_fn


def scale_by_schedule(step_size_fn):
    def update_fn():
        return step_size_fn
    return update_fn


def scale_by_learning_rate(learning_rate, m=-1):
    return scale_by_schedule(lambda count: m * learning_rate(count))


def inject_hyperparams():
    def update_fn():
        return None
    return update_fn


def constant_schedule(value):
    return lambda count: value


def cosine_decay_schedule(init_value, decay_steps, alpha=0.0, exponent=1.0):
    def schedule(count):
        return init_value, decay_steps, alpha, exponent
    return schedule


def linear_schedule(init_value, end_value, transition_steps):
    return polynomial_schedule(init_value, end_value, 1, transition_steps)


def polynomial_schedule(init_value, end_value, power, transition_steps,
                        transition_begin=0):
    def schedule(count):
        return init_value, end_value, power, transition_steps, transition_begin
    return schedule


def piecewise_constant_schedule(init_value, boundaries_and_scales):
    def schedule(count):
        return init_value, boundaries_and_scales
    return schedule


def join_schedules(schedules, boundaries):
    def schedule(count):
        return schedules, boundaries
    return schedule


def exponential_decay(init_value):
    def schedule(count):
        return init_value
    return schedule
