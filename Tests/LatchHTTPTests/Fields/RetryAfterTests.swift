// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchFoundation
import LatchHTTP
import LatchTesting
import TestTags
import Testing

@Suite(.tags(.retryPolicy)) struct RetryAfterTests {
    private let now = Date(timeIntervalSince1970: 784_111_777)

    @Test(arguments: [
        ("0", 0), ("1", 1), ("120", 120), (" 7\t", 7), ("0007", 7), ("31622400", 31_622_400),
        ("31622401", 31_622_400), ("99999999999999999999999999", 31_622_400),
    ])
    func `Retry-After is read as seconds, and never as more than a year`(text: String, seconds: Int) {
        expectEqual(RetryAfter(text), .delay(.seconds(seconds)))
    }

    @Test func `Retry-After is read as a date`() {
        expectEqual(RetryAfter("Sun, 06 Nov 1994 08:49:37 GMT"), .date(now))
        expectEqual(RetryAfter(" Sun, 06 Nov 1994 08:49:37 GMT "), .date(now))
    }

    @Test(arguments: [
        "", " ", "-1", "+1", "1.5", "1 2", "1s", "0x10", "٣", "soon", "Sun, 06 Nov 1994 08:49:37", "1,2",
        "Sun, 06 Nov 1994 08:49:37 +0000", "\u{0}1",
    ])
    func `Retry-After is nil if it is neither`(text: String) {
        expectNil(RetryAfter(text))
    }

    @Test func `Retry-After as seconds counts from the answer, whatever the dates say`() {
        let after = RetryAfter.delay(.seconds(30))
        expectEqual(after.delay(answeredAt: nil, now: now), .seconds(30))
        expectEqual(after.delay(answeredAt: .distantFuture, now: .distantPast), .seconds(30))
    }

    @Test func `Retry-After as a date is compared with the server's date, not with a clock that may be wrong`() {
        let after = RetryAfter.date(now.addingTimeInterval(90))
        expectEqual(after.delay(answeredAt: now, now: now.addingTimeInterval(-86_400)), .seconds(90))
        expectEqual(after.delay(answeredAt: now, now: now.addingTimeInterval(86_400)), .seconds(90))
        expectEqual(after.delay(answeredAt: nil, now: now.addingTimeInterval(30)), .seconds(60))
    }

    @Test func `Retry-After as a past date is ignored, and as one in the far future a year`() {
        expectEqual(RetryAfter.date(.distantPast).delay(answeredAt: now, now: now), .zero)
        expectEqual(RetryAfter.date(.distantFuture).delay(answeredAt: .distantPast, now: now), RetryAfter.longest)
        expectEqual(RetryAfter.date(now).delay(answeredAt: now, now: now), .zero)
    }

    @Test func `Retry-After is read from an answer together with its date`() {
        let date = HTTPDate(now).description
        let later = HTTPDate(now.addingTimeInterval(5)).description
        let response = HTTPResponse(status: 503, fields: [.retryAfter: later, .date: date])
        expectEqual(response.retryDelay(now: .distantFuture), .seconds(5))
        expectEqual(HTTPResponse(status: 503, fields: [.retryAfter: "5"]).retryDelay(now: now), .seconds(5))
        expectNil(HTTPResponse(status: 503, fields: [.retryAfter: "?"]).retryDelay(now: now))
        expectNil(HTTPResponse(status: 503).retryDelay(now: now))
        expectEqual(RetryAfter(response), .date(now.addingTimeInterval(5)))
    }

    @Test(arguments: [UInt64](0..<200))
    func `Retry-After never traps and is never negative`(seed: UInt64) {
        var random = SplitMix64(state: seed)
        let digits = String((0..<random.below(30)).map { _ in random.pick(Array("0123456789")) })
        for text in [random.text(upTo: 40), digits] {
            guard let after = RetryAfter(text) else { continue }
            let delay = after.delay(answeredAt: nil, now: now)
            #expect(delay >= .zero && delay <= RetryAfter.longest)
        }
    }
}
