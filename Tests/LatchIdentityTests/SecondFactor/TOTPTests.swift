// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct TOTPTests {
    private static let secret = Array("12345678901234567890".utf8)

    /// RFC 4226, appendix D.
    @Test(
        arguments: zip(
            Int64(0)...9,
            [
                "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489",
            ]))
    func `A counter-based code matches RFC 4226 for each count`(count: Int64, code: String) {
        expectEqual(TOTP.code(Self.secret, at: count), code)
    }

    /// RFC 6238, appendix B, in the mode SHA1.
    @Test(arguments: [
        (59, "94287082"), (1_111_111_109, "07081804"), (1_111_111_111, "14050471"), (1_234_567_890, "89005924"),
        (2_000_000_000, "69279037"), (20_000_000_000, "65353130"),
    ])
    func `A time-based code matches RFC 6238 for each time`(seconds: Int, code: String) {
        let step = TOTP.step(of: Date(timeIntervalSince1970: Double(seconds)))
        expectEqual(TOTP.code(Self.secret, at: step, digits: 8), code)
        #expect(TOTP.code(Self.secret, at: step) == code.suffix(6))
    }

    @Test(.tags(.factorCodeWindow))
    func `A time-based code is accepted one step early and one step late, and not two`() {
        let step = TOTP.step(of: noon)
        for offset in Int64(-3)...3 {
            let found = TOTP.matchingStep(TOTP.code(Self.secret, at: step + offset), Self.secret, at: noon)
            expectEqual(found, abs(offset) <= 1 ? step + offset : nil)
        }
    }

    @Test(arguments: ["", "1", "12345", "1234567", "abcdef", "１２３４５６", "12 456", "-12345"])
    func `A time-based code in another form is refused`(typed: String) {
        expectNil(TOTP.matchingStep(typed, Self.secret, at: noon))
    }

    @Test(arguments: [-1e300, -1, 0, 1e300, .infinity, -.infinity, .nan])
    func `A time-based code has a step for every date that a clock can show`(seconds: Double) {
        #expect(TOTP.step(of: Date(timeIntervalSince1970: seconds)) >= 0)
        #expect(
            TOTP.matchingStep("000000", Self.secret, at: Date(timeIntervalSince1970: min(max(seconds, 0), 1e15)))
                ?? 0 >= 0)
    }
}

@Suite struct Base32Tests {
    /// RFC 4648 §10, without the padding.
    @Test(
        arguments: zip(
            ["", "f", "fo", "foo", "foob", "fooba", "foobar"],
            ["", "MY", "MZXQ", "MZXW6", "MZXW6YQ", "MZXW6YTB", "MZXW6YTBOI"]))
    func `Base 32 matches the vectors of RFC 4648`(plain: String, text: String) {
        expectEqual(Base32.encode(plain.utf8), text)
    }

    @Test func `Base 32 of long runs keeps to five bits a letter`() {
        expectEqual(Base32.encode([UInt8](repeating: 0xFF, count: 100)), String(repeating: "7", count: 160))
        expectEqual(Base32.encode([UInt8](repeating: 0, count: 20)), String(repeating: "A", count: 32))
    }
}

@Suite struct RecoveryCodeTests {
    @Test func `A recovery code is recognized however it is typed`() throws {
        let code = RecoveryCode(.system)
        let plain = code.text.filter { $0 != "-" }
        for typed in [code.text, plain, code.text.uppercased(), " \(plain.prefix(8)) \(plain.suffix(8)) "] {
            expectEqual(RecoveryCode(typed: typed)?.digest(for: "ada"), code.digest(for: "ada"))
        }
        expectEqual(code.text.count, 19)
    }

    @Test(arguments: [
        "", "123456", "aaaa-bbbb-cccc-ddd", "aaaa-bbbb-cccc-dddd-e", "aaaa-bbbb-cccc-ddd1", "ääää-bbbb-cccc-dddd",
    ])
    func `A recovery code in another form is refused`(typed: String) {
        expectNil(RecoveryCode(typed: typed))
    }

    @Test func `A recovery code has another digest for each account, and is never printed`() {
        let code = RecoveryCode(.system)
        expectNotEqual(code.digest(for: "ada"), code.digest(for: "bob"))
        #expect(!"\(code) \(String(reflecting: code))".contains(code.text))
        var text = ""
        dump(code, to: &text)
        #expect(!text.contains(code.text))
        expectEqual(Set((0..<100).map { _ in RecoveryCode(.system) }).count, 100)
    }
}
