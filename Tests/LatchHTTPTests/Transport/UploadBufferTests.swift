// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import Synchronization
import Testing

@testable import LatchHTTP

/// The requests of libcurl to a buffer, made by hand: some of them are rare in practice.
@Suite(.timeLimit(.minutes(1))) struct UploadBufferTests {
    /// Plays libcurl, which is woken instead of asking again and again.
    private final class Taker: Sendable {
        let feed: UploadBuffer
        private let (resumptions, waking) = AsyncStream<Void>.makeStream()

        init(_ stream: HTTPBodyStream) {
            feed = UploadBuffer(stream)
            feed.start { [waking] in _ = waking.yield() }
        }

        func take(_ count: Int) -> (result: Int, bytes: [UInt8]) {
            var bytes = [UInt8](repeating: 0, count: count)
            let result = bytes.withUnsafeMutableBytes { feed.take(into: $0) }
            return (result, Array(bytes.prefix(result <= count ? result : 0)))
        }

        func isWoken() async { for await _ in resumptions { return } }

        /// Everything up to the end, or the code that came instead.
        func takeAll(by count: Int = 3) async -> (bytes: [UInt8], code: Int) {
            var all: [UInt8] = []
            while true {
                let (result, bytes) = take(count)
                if result == pause {
                    await isWoken()
                } else if result == 0 || result == abort {
                    return (all, result)
                }
                all += bytes
            }
        }
    }

    private struct Broken: Error {}

    @Test func `Request content for libcurl is requested only when libcurl wants it`() async {
        let opened = Mutex(0)
        let taker = Taker(
            HTTPBodyStream {
                opened.withLock { $0 += 1 }
                return { nil }
            })
        expectEqual(opened.withLock { $0 }, 0)
        let (bytes, code) = await taker.takeAll()
        #expect(bytes.isEmpty && code == 0)
        expectEqual(opened.withLock { $0 }, 1)
    }

    @Test(arguments: [1, 3, 100])
    func `Request content for libcurl comes whole in buffers of any size`(size: Int) async {
        let stream = counting(to: 250, announced: true, piece: 7)
        let (bytes, code) = await Taker(stream).takeAll(by: size)
        expectEqual(bytes, countingBytes(0..<250))
        expectEqual(code, 0)
    }

    @Test func `Request content for libcurl begins again if libcurl has to`() async {
        let taker = Taker(counting(to: 50, announced: true, piece: 7))
        #expect(taker.feed.rewind())
        _ = taker.take(3)
        await taker.isWoken()
        _ = taker.take(3)
        #expect(taker.feed.rewind())
        let (bytes, code) = await taker.takeAll()
        expectEqual(bytes, countingBytes(0..<50))
        expectEqual(code, 0)
        // Also after the end.
        #expect(taker.feed.rewind())
        await expectEqual(taker.takeAll().bytes, countingBytes(0..<50))
    }

    @Test func `Request content for libcurl that can be read once begins again only if nothing was read`() async {
        let taker = Taker(HTTPBodyStream(once: { [1] }))
        #expect(taker.feed.rewind())
        _ = taker.take(1)
        #expect(!taker.feed.rewind())
        taker.feed.close()
    }

    @Test func `Request content for libcurl aborts if its source fails, and keeps the reason`() async {
        let left = Mutex(2)
        let taker = Taker(
            HTTPBodyStream(once: {
                let isLeft = left.withLock { left in
                    left -= 1
                    return left >= 0
                }
                guard isLeft else { throw Broken() }
                return [7, 7]
            }))
        let (_, code) = await taker.takeAll()
        expectEqual(code, abort)
        #expect(taker.feed.failure is Broken)
    }

    @Test func `Request content for libcurl gives nothing after it was closed`() async {
        let taker = Taker(counting(to: 50, announced: true, piece: 7))
        _ = taker.take(3)
        await taker.isWoken()
        taker.feed.close()
        expectEqual(taker.take(3).result, abort)
        #expect(!taker.feed.isStarved)
    }
}

/// The codes of `CURL_READFUNC_PAUSE` and `CURL_READFUNC_ABORT`.
private let (pause, abort) = (0x1000_0001, 0x1000_0000)
