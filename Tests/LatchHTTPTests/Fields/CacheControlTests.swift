// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchFoundation
import LatchHTTP
import Testing

@Suite struct CacheControlTests {
    @Test(arguments: [
        ("max-age=60", 60), ("Max-Age=60", 60), (" public ,max-age=60 , immutable", 60), ("max-age=\"60\"", 60),
        ("max-age=60, max-age=30", 30), ("max-age=0", 0), ("max-age", 0), ("max-age=", 0), ("max-age=-1", 0),
        ("max-age=1.5", 0), ("max-age=x", 0), ("max-age=60;x", 60), ("max-age\u{301}=60", 0), ("max-age=\"60", 0),
        ("max-age=99999999999999999999999", 366 * 86_400), ("private=\"a, max-age=5\", max-age=60", 60),
    ])
    func `Cache-Control of a response says how long it is fresh`(line: String, seconds: Int) {
        expectEqual(CacheControl([line]).maximumAge, .seconds(seconds))
        #expect(CacheControl([line]).isReusable)
    }

    @Test(arguments: ["", ",", "public", "x-max-age=60", "=60", "\"max-age=60\"", "s-maxage=60"])
    func `Cache-Control of a response can leave its freshness open`(line: String) {
        expectNil(CacheControl([line]).maximumAge)
        expectNil(HTTPResponse(status: .ok).remainingFreshness)
    }

    @Test(arguments: ["no-store", "No-Cache", "max-age=60, no-store", "no-cache=\"a\", max-age=60"])
    func `Cache-Control of a response can forbid another use`(line: String) {
        #expect(!CacheControl([line]).isReusable)
        expectEqual(HTTPResponse(status: .ok, fields: [.cacheControl: line]).remainingFreshness, .zero)
    }

    @Test func `Cache-Control of a response can have several lines, and the strictest counts`() {
        let control = CacheControl(["max-age=60", "stale-if-error=10, max-age=20", "stale-if-error=30"])
        expectEqual(control.maximumAge, .seconds(20))
        expectEqual(control.staleIfError, .seconds(10))
    }

    // RFC 9111 §4.2.
    @Test(
        arguments: [
            (["Cache-Control": "max-age=100", "Age": "30"], 70), (["Cache-Control": "max-age=100", "Age": "300"], 0),
            (["Cache-Control": "max-age=100", "Age": "x"], 100), (["Cache-Control": "max-age=100", "Age": "-5"], 100),
            (["Cache-Control": "max-age=100", "Age": "99999999999999999999"], 0),
            (["Expires": "Thu, 01 Jan 2026 00:10:00 GMT", "Date": "Thu, 01 Jan 2026 00:00:00 GMT"], 600),
            (["Expires": "Thu, 01 Jan 2026 00:10:00 GMT", "Date": "Thu, 01 Jan 2026 00:00:00 GMT", "Age": "60"], 540),
            (["Expires": "Thu, 01 Jan 2026 00:00:00 GMT", "Date": "Thu, 01 Jan 2026 00:10:00 GMT"], 0),
            (["Expires": "0", "Date": "Thu, 01 Jan 2026 00:10:00 GMT"], 0),
            (["Expires": "Thu, 01 Jan 2026 00:10:00 GMT"], 0),
            (["Expires": "Thu, 01 Jan 9999 00:00:00 GMT", "Date": "Thu, 01 Jan 1970 00:00:00 GMT"], 366 * 86_400),
            (["Expires": "0", "Cache-Control": "max-age=7"], 7), (["Age": "5"], nil),
        ] as [([String: String], Int?)])
    func `Cache-Control of a response subtracts its age`(lines: [String: String], seconds: Int?) {
        var response = HTTPResponse(status: .ok)
        for (name, value) in lines { response.fields[HTTPFieldName(name)] = value }
        expectEqual(response.remainingFreshness, seconds.map { .seconds($0) })
    }
}
