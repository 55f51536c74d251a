#!/usr/bin/env python3
"""Holds many connections through a proxy, and says what each costs the proxy in memory.

    connections.py PROXY_PORT PROXY_PID ROOT.pem URL [COUNT]

Each has a tunnel, TLS inside it, and one request whose response was read. The first hundred are not counted.
"""
import asyncio
import ssl
import sys
import urllib.parse


def memory(process):
    with open(f"/proc/{process}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


async def connection(port, url, context):
    target = f"{url.hostname}:{url.port or 443}"
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n".encode())
    head = await reader.readuntil(b"\r\n\r\n")
    assert b" 200 " in head.split(b"\r\n")[0], head
    await writer.start_tls(context, server_hostname=url.hostname)
    writer.write(f"GET {url.path} HTTP/1.1\r\nHost: {target}\r\n\r\n".encode())
    head = await reader.readuntil(b"\r\n\r\n")
    assert b" 200 " in head.split(b"\r\n")[0], head
    length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
    await reader.readexactly(int(length.split(b":")[1]))
    return writer


async def connections(count, *rest):
    held = []
    while len(held) < count:
        held += await asyncio.gather(*(connection(*rest) for _ in range(min(20, count - len(held)))))
    return held


async def main():
    port, process, root = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    url = urllib.parse.urlparse(sys.argv[4])
    count = int(sys.argv[5]) if len(sys.argv) > 5 else 1_000
    context = ssl.create_default_context(cafile=root)
    held = await connections(100, port, url, context)
    before = memory(process)
    held += await connections(count, port, url, context)
    await asyncio.sleep(2)
    after = memory(process)
    print(f"{count} connections: {before} -> {after} KiB, {(after - before) / count:.1f} KiB each")


asyncio.run(main())
