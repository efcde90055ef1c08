"""A distant server: ``python -m tests.browser.relay PORT SECONDS`` hands on all that passes, so much later.

It prints the port at which it stands for the server on PORT of this machine.
"""

from __future__ import annotations

import asyncio
import sys


async def _hand_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, seconds: float) -> None:
    loop = asyncio.get_running_loop()
    waiting: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()

    async def read() -> None:
        data = b"."
        while data:
            try:
                data = await reader.read(1 << 16)
            except ConnectionError:
                data = b""
            waiting.put_nowait((loop.time() + seconds, data))

    async def write() -> None:
        while True:
            at, data = await waiting.get()
            await asyncio.sleep(at - loop.time())
            if not data:
                writer.close()
                return
            writer.write(data)

    await asyncio.gather(read(), write())


async def _relay(port: int, seconds: float) -> None:
    async def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        from_server, to_server = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(_hand_on(reader, to_server, seconds), _hand_on(from_server, writer, seconds))

    listening = await asyncio.start_server(meet, "127.0.0.1", 0)
    print(listening.sockets[0].getsockname()[1], flush=True)
    await listening.serve_forever()


if __name__ == "__main__":
    asyncio.run(_relay(int(sys.argv[1]), float(sys.argv[2])))
