"""Which slice to rent: does the model fit, how fast is a step, what does the job cost, and
which lines of the model take the time?

    python examples/plan_a_slice.py

Nothing is trained and nothing is rented; all times are simulated (sim)."""

import jax
import jax.numpy as jnp
import numpy as np
import podsim

EXAMPLES, WIDTH, PRICE = 20_000, 1024, 2.0  # PRICE: what an hour of a chip costs you


def loss_fn(params, batch):
    x, y = batch
    for layer in params["hidden"]:
        x = x + jax.nn.gelu(x @ layer)
    log_p = jax.nn.log_softmax(x @ params["out"])
    return -jnp.mean(log_p[jnp.arange(len(y)), y])


params = {"hidden": [np.zeros((WIDTH, WIDTH), np.float32) for _ in range(6)],
          "out": np.zeros((WIDTH, 1000), np.float32)}
dataset = (np.zeros((EXAMPLES, WIDTH), np.float32), np.zeros(EXAMPLES, np.int32))

plan = podsim.plan(loss_fn, params, dataset, topology="v3-8..v3-128",
                   optimizer=podsim.adamw(1e-3), batch_per_core=128, epochs=500)
print(plan)

priced = plan.price(PRICE)
fast = min(priced.rows, key=lambda row: row.run_seconds)
cheap = min(priced.rows, key=lambda row: row.cost)
for word, row in (("fastest", fast), ("cheapest", cheap)):
    print(f"{word}: {row.slice}, {row.run_seconds:.0f} s sim, {row.cost:.2f} at {PRICE} an hour "
          f"and chip, scaling efficiency {row.efficiency:.0%}")

print()
print(plan.explain(cheap.slice))
