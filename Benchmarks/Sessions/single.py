"""Requests per second through proxies, one at a time, by curl: a client that takes little time itself.

    single.py URL COUNT NAME,http://127.0.0.1:PORT,ROOTS.pem ...

The first proxy is compared with each of the others: five alternated runs, and the medians of their ratios.
"""

import statistics
import subprocess
import sys
import time


def run(url: str, count: int, proxy: str, roots: str) -> float:
    """The seconds that one request takes, of `count` on one connection."""
    command = ["curl", "--silent", "--show-error", "--fail", "--http1.1", "--cacert", roots, "--output", "/dev/null"]
    start = time.monotonic()
    subprocess.run(command + ["--proxy", proxy, f"{url}?[1-{count}]"], check=True, stdout=subprocess.DEVNULL)
    return (time.monotonic() - start) / count


def main() -> None:
    url, count = sys.argv[1], int(sys.argv[2])
    proxies = [argument.split(",") for argument in sys.argv[3:]]
    times: list[list[float]] = [[] for _ in proxies]
    for round in range(6):
        for index, (_, proxy, roots) in enumerate(proxies):
            taken = run(url, count, proxy, roots)
            # The first round opens connections.
            if round > 0:
                times[index].append(taken)
    rates = " | ".join(str(int(1 / statistics.median(taken))) for taken in times)
    ratios = " / ".join(
        f"{statistics.median(other / first for first, other in zip(times[0], taken)):.2f}" for taken in times[1:]
    )
    print(f"| {url.rsplit('/', 1)[-1]}, by curl | 1 | {rates} | {ratios} | |")


main()
