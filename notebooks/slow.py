"""A program that takes its time, to have something to watch."""

import time

for step in range(1, 11):
    print(f"step {step} of 10")
    time.sleep(0.33)
print("done")
