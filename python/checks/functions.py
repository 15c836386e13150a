"""Loss functions as people write them, small enough to be computed here.

FUNCTIONS: name -> function of a numpy generator that returns (loss_fn, params,
batch); the batch has 8 examples. A loss_fn with a third argument draws from that key."""

from bfloat16_models import bfloat16_bert, bfloat16_orders, bfloat16_resnet
from drawing_models import own_keys, recomputed, shared_draws
from everyday_models import (bfloat16_mean, flax_rnn, mapped, own_places, segments,
                             small_wholes, switches)
from image_models import (lenet, mlp_mixer, resnet_18, resnet_50, separable_block,
                          unet_small, vgg_block, vit_tiny)
from odd_models import (custom_rules, logistic_regression, masked_labels, mlp, orders,
                        places)
from sequence_models import bag_of_words, bert_layer, gpt_nano, gru, lstm

FUNCTIONS = {function.__name__: function for function in (
    mlp, lenet, resnet_18, resnet_50, vgg_block, mlp_mixer, vit_tiny, gpt_nano,
    bert_layer, lstm, gru, unet_small, separable_block, bag_of_words,
    logistic_regression, custom_rules, places, orders, masked_labels, flax_rnn,
    small_wholes, switches, own_places, segments, bfloat16_mean, mapped,
    own_keys, shared_draws, recomputed, bfloat16_resnet, bfloat16_bert, bfloat16_orders)}
