#!/usr/bin/env python3
"""Asks the servers of a list on all workers of a Spark cluster, and writes a line of JSON for each.

    spark-submit docs/scaling/spark.py LIST RESULTS [SERVERTRUST [OPTION ...]]

LIST is a file or folder of lines, RESULTS a folder that is made. Every worker needs the command; it is SERVERTRUST, or the
one on its path.
"""

import json
import shlex
import sys

from pyspark.sql import SparkSession

# A partition that is asked again, because its worker was lost, costs no more than so many hosts.
HOSTS_PER_PARTITION = 1_000


def host(line):
    """What a line names, so that lines of one server come to one partition and several workers do not ask it at a time."""
    try:
        return json.loads(line)["host"].lower()
    except (AttributeError, KeyError, TypeError, ValueError):
        return line.split("#")[0].strip().lower()


def main(hosts, results, command="servertrust", *options):
    spark = SparkSession.builder.appName("servertrust").getOrCreate()
    lines = spark.sparkContext.textFile(hosts)
    partitions = max(1, lines.count() // HOSTS_PER_PARTITION)
    scan = shlex.join([command, "scan", "--fail-on", "never", "--quiet", *options])
    by_host = lines.map(lambda line: (host(line), line)).partitionBy(partitions).values()
    by_host.pipe(scan, checkCode=True).saveAsTextFile(results)
    spark.stop()


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
