// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import Testing

@testable import LatchIdentity

@Suite struct TypedCodeTests {
    @Test(arguments: [
        "123456", " 123 456 ", "123-456", "123\u{A0}456", "123\u{202F}456", "123\u{2009}456", "123\u{2010}456",
        "123\u{2013}456",
        "123\u{2212}456", "\u{200B}123456\u{FEFF}", "\u{202A}123456\u{202C}", "１２３４５６", "١٢٣٤٥٦", "123\n456",
    ])
    func `A typed code is read without the characters that keyboards and apps add`(typed: String) {
        expectEqual(typed.typedCode, "123456")
    }

    @Test(arguments: ["12345a", "123.456", "¹23456", "½", "一"])
    func `A typed code keeps characters that are not digits`(typed: String) {
        expectEqual(typed.typedCode, typed)
    }

    @Test func `A typed code of a recovery is read in the same way`() throws {
        let plain = try #require(RecoveryCode(typed: "abcd-efgh-ijkl-2345"))
        let pasted = try #require(RecoveryCode(typed: "ABCD\u{2011}EFGH\u{A0}IJKL\u{2013}２３４５"))
        expectEqual(pasted.digest(for: "a"), plain.digest(for: "a"))
    }
}
