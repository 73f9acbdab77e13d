// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchFoundation
import LatchTesting
import TestTags
import Testing

@testable import LatchHTTP
@testable import LatchProtobuf
@testable import LatchRPC

@Suite struct RetryDelayTests {
    /// Returns the first delays after an error, for random numbers that are all the same; nil if it is not repeated.
    private func delays(
        after error: RPCError, _ count: Int = 1, base: Duration = .milliseconds(100), word: UInt64 = 1 << 63
    )
        async -> [Duration]
    {
        let clock = ManualClock()
        var settings = ClientSettings(clock: clock.wallClock())
        settings.random = RandomSource { word }
        let client = ShelfClient(ShelfService { _, _, _ in throw error }, ShelfState(), settings)
        let done = Task {
            try await client.processWithRetry(
                .add(Book("a")), maxRetries: count, baseDelay: base, evenIfUncertain: true)
        }
        var delays: [Duration] = []
        for _ in 0..<count { delays.append(await clock.wakeNext()) }
        await #expect(throws: ShelfFailure.self) { try await done.value }
        return delays
    }

    private func isRepeated(after error: RPCError) async -> Bool {
        let attempt = ActionAttempt(allowsUncertain: true, longestWish: .seconds(60), now: { .now })
        attempt.end(ActionError(error, action: "add"), isRetryable: true)
        return attempt.isRepeated
    }

    @Test(arguments: [(UInt64.min, 50), (1 << 63, 100), (3 << 62, 125)])
    func `The delay before a repeated action is random by half, so that clients do not return together`(
        word: UInt64, milliseconds: Int
    ) async {
        let delays = await delays(after: RPCError(.unavailable), 3, word: word)
        expectEqual(delays, [1, 2, 4].map { .milliseconds($0 * milliseconds) })
    }

    @Test func `The delay before a repeated action grows up to half a minute`() async {
        await expectEqual(
            delays(after: RPCError(.unavailable), 3, base: .seconds(20)).map { $0 <= .seconds(30) },
            [
                true, true, true,
            ])
        await expectEqual(delays(after: RPCError(.unavailable), 2, base: .seconds(20)).last, .seconds(30))
    }

    /// The ways in which a server says that it wants to be asked again in seven seconds.
    private static let wishes = [
        RPCError(.unavailable, metadata: ["Retry-After": "7"]),
        RPCError(.unavailable, metadata: ["grpc-retry-pushback-ms": "7000"]),
        RPCError(.unavailable, details: [detail(seconds: 7)]),
        RPCError(.unavailable, details: [detail(seconds: 7)], metadata: ["Retry-After": "3"]),
    ]

    private static func detail(seconds: Int64) -> ProtoAny {
        do { return try ProtoAny(packing: RetryInfo(retryDelay: ProtoDuration(seconds: seconds))) } catch {
            return ProtoAny()
        }
    }

    @Test(arguments: 0..<4)
    func `The delay before a repeated action is at least what the server asks for`(index: Int) async {
        await expectEqual(delays(after: Self.wishes[index]), [.seconds(7)])
        await expectEqual(delays(after: Self.wishes[index], base: .seconds(20)), [.seconds(20)])
    }

    @Test
    func `The delay before a repeated action is refused if the server asks for over a minute, or forbids it`() async {
        #expect(await isRepeated(after: RPCError(.unavailable, metadata: ["Retry-After": "60"])))
        for wish in [
            RPCError(.unavailable, metadata: ["Retry-After": "61"]),
            RPCError(.unavailable, metadata: ["grpc-retry-pushback-ms": "-1"]),
            RPCError(.unavailable, metadata: ["grpc-retry-pushback-ms": "soon"]),
            RPCError(.unavailable, details: [Self.detail(seconds: 61)]),
        ] {
            #expect(await !isRepeated(after: wish), "\(wish.metadata)")
        }
    }
}
