// SPDX-License-Identifier: Apache-2.0

import LatchCore
import TestTags
import Testing

@Suite struct `A limit of JSON` {
    private func nested(_ depth: Int, open: String, close: String) -> String {
        String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
    }

    @Test(.tags(.attackH7)) func `stops arrays at 64 levels`() throws {
        _ = try JSONValue(parsing: nested(64, open: "[", close: "]"))
        #expect { try JSONValue(parsing: nested(65, open: "[", close: "]")) } throws: { JSONError.tooDeep ~= $0 }
    }

    @Test(.tags(.attackH7)) func `stops objects at 64 levels`() throws {
        _ = try JSONValue(parsing: nested(64, open: "{\"a\":", close: "}"))
        #expect { try JSONValue(parsing: nested(65, open: "{\"a\":", close: "}")) } throws: { JSONError.tooDeep ~= $0 }
    }

    @Test(.tags(.attackH7)) func `a million open brackets end in an error and not in an exhausted stack`() {
        let text = String(repeating: "[", count: 1_000_000)
        #expect { try JSONValue(parsing: text) } throws: { JSONError.tooDeep ~= $0 }
        let deepest = JSONLimits(depth: .max)
        #expect { try JSONValue(parsing: text, limits: deepest) } throws: { JSONError.tooDeep ~= $0 }
    }

    @Test(.tags(.attackH7)) func `stops values at the number that they may have, of every kind`() throws {
        let limits = JSONLimits(values: 4)
        _ = try JSONValue(parsing: #"[1,"a",{}]"#, limits: limits)
        for text in [#"[1,"a",{},null]"#, "[[],[],[],[]]", #"{"a":1,"b":2,"c":3,"d":4}"#] {
            #expect { try JSONValue(parsing: text, limits: limits) } throws: { JSONError.tooLarge ~= $0 }
        }
        // What the default allows takes no more than some tens of megabytes.
        let many = "[" + String(repeating: "1,", count: 1_000_000) + "1]"
        #expect { try JSONValue(parsing: many) } throws: { JSONError.tooLarge ~= $0 }
    }

    @Test func `is the caller's to set`() throws {
        #expect { try JSONValue(parsing: "[[1]]", limits: JSONLimits(depth: 1)) } throws: { JSONError.tooDeep ~= $0 }
        #expect { try JSONValue(parsing: "[1]", limits: JSONLimits(bytes: 2)) } throws: { JSONError.tooLarge ~= $0 }
        _ = try JSONValue(parsing: "[1]", limits: JSONLimits(depth: 1, bytes: 3))
        #expect(try JSONValue(parsing: "1", limits: JSONLimits(depth: -5)) == 1)
    }

    @Test func `is named in the error with its place and nothing of the text`() {
        #expect {
            try JSONValue(parsing: #"{"password":"hunter2" "x"}"#)
        } throws: { error in
            guard let error = error as? JSONError else { return false }
            return error.offset == 22 && error.hint != nil && !"\(error)".contains("hunter2")
        }
    }
}
