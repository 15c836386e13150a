"""LeNet-5 and the transformer encoder of podsim's zoo in PyTorch, one thread.

    python3 bench/peers/torch_models.py --model encoder --steps 40

The same layers, batch and plain SGD as `pod_launch --model`, in float32, on
examples of no meaning of the digits' shape. Prints one line of JSON.
"""

import argparse
import json
import statistics
import sys
import time

sys.dont_write_bytecode = True
import torch
import training_work as work
from torch import nn
from torch.nn import functional

CLASSES = 10
LEVELS, TOKENS, WIDTH, HIDDEN, HEADS = 17, 64, 32, 64, 4


def lenet5():
    """8x8 images; the first convolution's padding is the frame too."""
    return nn.Sequential(
        nn.Conv2d(1, 6, 5, padding=6), nn.Tanh(), nn.AvgPool2d(2),
        nn.Conv2d(6, 16, 5, padding=2), nn.Tanh(), nn.AvgPool2d(2),
        nn.Flatten(), nn.Linear(256, 120), nn.Tanh(), nn.Linear(120, 84),
        nn.Tanh(), nn.Linear(84, CLASSES))


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm_0, self.norm_1 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.query, self.value = (nn.Linear(WIDTH, WIDTH) for _ in range(2))
        self.key = nn.Linear(WIDTH, WIDTH, bias=False)
        self.out = nn.Linear(WIDTH, WIDTH)
        self.dense_0 = nn.Linear(WIDTH, HIDDEN)
        self.dense_1 = nn.Linear(HIDDEN, WIDTH)

    def attention(self, x):
        def split(y):
            return y.view(*y.shape[:2], HEADS, -1).transpose(1, 2)
        mixed = functional.scaled_dot_product_attention(
            split(self.query(x)), split(self.key(x)), split(self.value(x)))
        return self.out(mixed.transpose(1, 2).reshape(x.shape))

    def forward(self, x):
        x = x + self.attention(self.norm_0(x))
        hidden = functional.gelu(self.dense_0(self.norm_1(x)),
                                 approximate="tanh")
        return x + self.dense_1(hidden)


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(LEVELS, WIDTH)
        self.positions = nn.Parameter(0.02 * torch.randn(TOKENS, WIDTH))
        self.layers = nn.Sequential(Layer(), Layer())
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, CLASSES)

    def forward(self, tokens):
        x = self.layers(self.tokens(tokens) + self.positions)
        return self.head(self.norm(x).mean(1))


MODELS = {
    "lenet5": (lenet5, lambda rows: torch.rand(rows, 1, 8, 8)),
    "encoder": (Encoder, lambda rows: torch.randint(LEVELS, (rows, TOKENS))),
}


def train(arguments):
    """(seconds of the timed steps, losses of all, number of parameters)"""
    torch.manual_seed(arguments.seed)
    make, draw = MODELS[arguments.model]
    model = make()
    optimizer = torch.optim.SGD(model.parameters(), lr=arguments.rate)
    examples = draw(arguments.rows)
    labels = torch.randint(CLASSES, (arguments.rows,))
    seconds, losses = [], []
    for _ in range(work.WARM_UP + arguments.steps):
        begin = time.perf_counter()
        loss = functional.cross_entropy(model(examples), labels)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        seconds.append(time.perf_counter() - begin)
    parameters = sum(each.numel() for each in model.parameters())
    return seconds[work.WARM_UP:], losses, parameters


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", choices=MODELS, required=True)
    parser.add_argument("--rows", type=int, default=256)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--rate", type=float, default=0.05)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    seconds, losses, parameters = train(arguments)
    print(json.dumps({
        "examples_per_second": arguments.rows * len(seconds) / sum(seconds),
        "steps": len(seconds),
        "step_median": statistics.median(seconds),
        "step_min": min(seconds),
        "step_max": max(seconds),
        "first_loss": losses[0],
        "last_loss": losses[-1],
        "parameters": parameters,
        "wrong": work.is_wrong(losses),
        "version": "torch " + torch.__version__}), flush=True)


if __name__ == "__main__":
    main()
