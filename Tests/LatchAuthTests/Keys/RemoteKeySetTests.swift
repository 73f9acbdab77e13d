// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Expectations
import LatchAuth
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchJOSE
import LatchTesting
import Synchronization
import TestSupport
import Testing

@Suite struct RemoteKeySetTests {
    private let key: Key

    init() throws { key = try Key.generate(.eddsa, id: "k1") }

    @Test
    func `The keys that an issuer publishes are fetched with a token, and once for the stated time`() async throws {
        try await PublishedKeys.serve([key], fields: [.cacheControl: "public, max-age=300"]) { issuer in
            let verifier = try issuer.verifier()
            let text = try issuer.token(key)
            expectEqual(issuer.count, 0)
            for _ in 0..<5 { try await expectEqual(verifier.verify(text).subject, "u1") }
            issuer.clock.advance(by: .seconds(239))
            try await expectEqual(verifier.verify(text).subject, "u1")
            expectEqual(issuer.count, 1)
            issuer.clock.advance(by: .seconds(61))
            _ = try await verifier.verify(text)
            expectEqual(issuer.count, 2)
            let request = try #require(issuer.state.withLock { $0.requests.first })
            expectEqual(request.fields[.accept], "application/jwk-set+json, application/json")
        }
    }

    @Test(arguments: [
        ("max-age=3600", 0, 3_600), ("max-age=3600", 600, 3_000), ("max-age=1", 0, 60), ("no-store", 0, 60),
        ("max-age=900, no-cache", 0, 60), ("max-age=99999999999999999999", 0, 86_400), ("max-age=x", 0, 60),
        ("", 0, 600),
        ("max-age=900, max-age=300", 0, 300), ("MAX-AGE=\"300\"", 0, 300),
    ])
    func `The keys that an issuer publishes are kept for a time within bounds`(control: String, age: Int, seconds: Int)
        async throws
    {
        let fields: HTTPFields = control.isEmpty ? [:] : [.cacheControl: control, "Age": "\(age)"]
        try await PublishedKeys.serve([key], fields: fields) { issuer in
            let keys = try issuer.keySet()
            _ = try await keys.keys()
            // A newer one is asked for in the last fifth; before that none is requested.
            issuer.clock.advance(by: .seconds(seconds * 4 / 5 - 1))
            _ = try await keys.keys()
            expectEqual(issuer.count, 1)
            issuer.publish([])
            issuer.clock.advance(by: .seconds(seconds - seconds * 4 / 5 + 1))
            #expect(try await keys.keys().keys.isEmpty)
            expectEqual(issuer.count, 2)
        }
    }

    @Test func `The keys that an issuer publishes include encryption keys, without anything secret`() async throws {
        let encrypting = try EncryptionKey.generate(.ecdhES, id: "e1")
        let published: JSONValue = [
            "keys": .array([
                .object(key.jwk), .object(try encrypting.jwkWithSecretsForStorage()),
                .object(try EncryptionKey.generate(.a128KW).jwkWithSecretsForStorage()),
            ])
        ]
        try await PublishedKeys.serve([key]) { issuer in
            issuer.answer { _ in HTTPResponse(status: .ok, body: HTTPBody(published.serialized())) }
            let keys = try await issuer.keySet().keys()
            #expect(keys.keys.map(\.id) == ["k1"] && keys.encryptionKeys.map(\.id) == ["e1"])
            #expect(keys.encryptionKeys.allSatisfy { $0.canEncrypt && !$0.canDecrypt })
        }
    }

    @Test func `The keys that an issuer publishes are fetched once for all concurrent callers`() async throws {
        try await PublishedKeys.serve([key]) { issuer in
            let (barrier, verifier) = (Barrier(), try issuer.verifier())
            let (text, body) = (try issuer.token(key), KeySet([key]).jwks().serialized())
            issuer.answer { _ in
                try await barrier.wait()
                return HTTPResponse(status: .ok, body: HTTPBody(body))
            }
            let subjects = try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 0..<200 { group.addTask { try await verifier.verify(text).subject } }
                try await barrier.reached()
                barrier.open()
                return try await group.reduce(into: [String?]()) { $0.append($1) }
            }
            expectEqual(subjects, [String?](repeating: "u1", count: 200))
            expectEqual(issuer.count, 1)
        }
    }

    @Test
    func `The keys that an issuer publishes are requested ahead of time, and no task waits for that`() async throws {
        try await PublishedKeys.serve([key], fields: [.cacheControl: "max-age=100"]) { issuer in
            let (barrier, keys) = (Barrier(), try issuer.keySet())
            _ = try await keys.keys()
            issuer.answer { _ in
                try await barrier.wait()
                return HTTPResponse(
                    status: .ok, fields: [.cacheControl: "max-age=100"], body: HTTPBody(#"{"keys":[]}"#))
            }
            issuer.clock.advance(by: .seconds(80))
            for _ in 0..<3 { try await expectEqual(keys.keys().keys.count, 1) }
            try await barrier.reached()
            try await expectEqual(keys.keys().keys.count, 1)
            barrier.open()
            // Beyond its time everybody waits for the request that is on its way, and finds what it brought.
            issuer.clock.advance(by: .seconds(20))
            #expect(try await keys.keys().keys.isEmpty)
            expectEqual(issuer.count, 2)
        }
    }

    @Test func `The keys that an issuer publishes are not sent again if they are the same`() async throws {
        try await PublishedKeys.serve([key], fields: [.cacheControl: "max-age=60", "ETag": "\"v1\""]) { issuer in
            let verifier = try issuer.verifier()
            let text = try issuer.token(key)
            _ = try await verifier.verify(text)
            issuer.answer { request in
                guard request.fields["If-None-Match"] == "\"v1\"" else {
                    return HTTPResponse(status: .internalServerError)
                }
                return HTTPResponse(status: HTTPStatus(rawValue: 304), fields: [.cacheControl: "max-age=1000"])
            }
            for _ in 0..<2 {
                issuer.clock.advance(by: .seconds(60))
                try await expectEqual(verifier.verify(text).subject, "u1")
            }
            expectEqual(issuer.count, 2)
            // An answer that there is nothing new is none where nothing is known.
            issuer.answer { _ in HTTPResponse(status: HTTPStatus(rawValue: 304)) }
            await #expect(throws: AuthError.self) { try await issuer.keySet().keys() }
        }
    }

    @Test func `The keys that an issuer publishes serve the other callers if one is canceled`() async throws {
        try await PublishedKeys.serve([key]) { issuer in
            let (barrier, keys) = (Barrier(), try issuer.keySet())
            let body = KeySet([key]).jwks().serialized()
            issuer.answer { _ in
                try await barrier.wait()
                return HTTPResponse(status: .ok, body: HTTPBody(body))
            }
            let first = Task { try await keys.keys() }
            try await barrier.reached()
            let second = Task { try await keys.keys() }
            first.cancel()
            await #expect(throws: CancellationError.self) { try await first.value }
            barrier.open()
            try await expectEqual(second.value.keys.count, 1)
            expectEqual(issuer.count, 1)
        }
    }

    @Test func `The keys that an issuer publishes are read without leaving the calling actor`() async throws {
        let places = Mutex<[Bool]>([])
        try await PublishedKeys.serve([key]) { issuer in
            let clock = WallClock(
                now: {
                    places.withLock { $0.append(OwnQueue.isHere) }
                    return issuer.clock.now
                }, sleep: { _ in })
            let verifier = RemoteJWTVerifier(
                keys: try issuer.keySet(), algorithms: [.eddsa], issuer: "us", clock: clock)
            let text = try issuer.token(key)
            _ = try await verifier.verify(text)
            try await Asker().verify(text, by: verifier)
        }
        // The first token had to wait for the keys, and none was requested from the actor yet.
        expectEqual(places.withLock { $0 }, [false] + [Bool](repeating: true, count: 20))
    }
}

/// An actor that runs on a queue of its own, so that it shows who runs there.
private actor Asker {
    private let queue = OwnQueue()

    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    func verify(_ text: String, by verifier: RemoteJWTVerifier) async throws {
        for _ in 0..<20 { _ = try await verifier.verify(text) }
    }
}

/// An executor whose jobs can be told from all others.
private final class OwnQueue: SerialExecutor {
    private static let mark = DispatchSpecificKey<Bool>()
    private let queue = DispatchQueue(label: "latch.tests.asker")

    init() { queue.setSpecific(key: Self.mark, value: true) }

    /// Whether the caller runs there.
    static var isHere: Bool { DispatchQueue.getSpecific(key: mark) == true }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
