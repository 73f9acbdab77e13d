// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import TestTags
import Testing

@Suite struct JSONLimitsTests {
    private func nested(_ depth: Int, open: String, close: String) -> String {
        String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
    }

    @Test(.tags(.hugeToken)) func `A limit of JSON stops arrays at 64 levels`() throws {
        _ = try JSONValue(parsing: nested(64, open: "[", close: "]"))
        #expect { try JSONValue(parsing: nested(65, open: "[", close: "]")) } throws: { JSONError.tooDeep ~= $0 }
    }

    @Test(.tags(.hugeToken)) func `A limit of JSON stops objects at 64 levels`() throws {
        _ = try JSONValue(parsing: nested(64, open: "{\"a\":", close: "}"))
        #expect { try JSONValue(parsing: nested(65, open: "{\"a\":", close: "}")) } throws: { JSONError.tooDeep ~= $0 }
    }

    @Test(.tags(.hugeToken)) func `A million open brackets end in an error and not in an exhausted stack`() {
        let text = String(repeating: "[", count: 1_000_000)
        #expect { try JSONValue(parsing: text) } throws: { JSONError.tooDeep ~= $0 }
        let deepest = JSONLimits(depth: .max)
        #expect { try JSONValue(parsing: text, limits: deepest) } throws: { JSONError.tooDeep ~= $0 }
    }

    @Test(.tags(.hugeToken)) func `A limit of JSON stops values of every kind at their maximum number`() throws {
        let limits = JSONLimits(values: 4)
        _ = try JSONValue(parsing: #"[1,"a",{}]"#, limits: limits)
        for text in [#"[1,"a",{},null]"#, "[[],[],[],[]]", #"{"a":1,"b":2,"c":3,"d":4}"#] {
            #expect { try JSONValue(parsing: text, limits: limits) } throws: { JSONError.tooLarge ~= $0 }
        }
        // What the default allows takes no more than some tens of megabytes.
        let many = "[" + String(repeating: "1,", count: 1_000_000) + "1]"
        #expect { try JSONValue(parsing: many) } throws: { JSONError.tooLarge ~= $0 }
    }

    @Test func `A limit of JSON can be set by the caller`() throws {
        #expect { try JSONValue(parsing: "[[1]]", limits: JSONLimits(depth: 1)) } throws: { JSONError.tooDeep ~= $0 }
        #expect { try JSONValue(parsing: "[1]", limits: JSONLimits(bytes: 2)) } throws: { JSONError.tooLarge ~= $0 }
        _ = try JSONValue(parsing: "[1]", limits: JSONLimits(depth: 1, bytes: 3))
        try expectEqual(JSONValue(parsing: "1", limits: JSONLimits(depth: -5)), 1)
    }

    @Test func `A limit of JSON is named in the error with its place but nothing of the text`() {
        #expect {
            try JSONValue(parsing: #"{"password":"hunter2" "x"}"#)
        } throws: { error in
            guard let error = error as? JSONError else { return false }
            return error.offset == 22 && error.hint != nil && !"\(error)".contains("hunter2")
        }
    }
}
