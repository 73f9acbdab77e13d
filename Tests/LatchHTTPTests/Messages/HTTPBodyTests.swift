// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import Synchronization
import Testing

@Suite struct HTTPBodyTests {
    @Test func `The content of a message in memory has a length, a text and no stream`() {
        let body = HTTPBody("grüße")
        expectEqual(body.length, 7)
        expectEqual(body.text, "grüße")
        expectNil(body.stream)
        #expect(body.isReplayable)
        expectNil(HTTPBody([0xFF]).text)
    }

    @Test func `The content of a message is empty only if that is known`() {
        #expect(HTTPBody.empty.isEmpty)
        #expect(HTTPBody(HTTPBodyStream(length: 0) { { nil } }).isEmpty)
        #expect(!HTTPBody(HTTPBodyStream { { nil } }).isEmpty)
        #expect(!HTTPBody("x").isEmpty)
    }

    @Test func `The content of a message is read in the same way from memory and from a stream`() async throws {
        for body in [HTTPBody("hello"), HTTPBody(HTTPBodyStream(Array("hello".utf8)))] {
            var bytes: [UInt8] = []
            for try await piece in body.chunks { bytes += piece }
            expectEqual(bytes, Array("hello".utf8))
            try await expectEqual(body.collected(upTo: 5), bytes)
        }
    }

    @Test(arguments: [HTTPBody("hello"), HTTPBody(HTTPBodyStream(Array("hello".utf8)))])
    func `The content of a message is not collected beyond a limit`(body: HTTPBody) async {
        await #expect(throws: HTTPError.tooLarge) { try await body.collected(upTo: 4) }
    }

    @Test
    func `The content of a message is not collected beyond a limit if the stream does not say its length`() async {
        let pieces = Mutex(0)
        let endless = HTTPBody(
            HTTPBodyStream(once: {
                pieces.withLock { $0 += 1 }
                return [UInt8](repeating: 1, count: 10)
            }))
        await #expect(throws: HTTPError.tooLarge) { try await endless.collected(upTo: 95) }
        expectEqual(pieces.withLock { $0 }, 10)
    }

    @Test func `The content of a message is equal by its bytes, or by being the same stream`() {
        let stream = HTTPBodyStream([1])
        expectEqual(HTTPBody([1]), HTTPBody([1]))
        expectEqual(HTTPBody(stream), HTTPBody(stream))
        expectNotEqual(HTTPBody(stream), HTTPBody(HTTPBodyStream([1])))
        expectEqual(HTTPBody(stream).hashValue, HTTPBody(stream).hashValue)
    }
}
