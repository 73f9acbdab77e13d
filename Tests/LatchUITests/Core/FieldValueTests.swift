// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchAccounts
import LatchTexts
import LatchUI
import Testing

@Suite struct FieldValueTests {
    private func sent(_ kind: FieldKind, _ text: String) -> String {
        Fields([Field("field", kind, Phrase("field.code"), text: text)]).value("field")
    }

    @Test(arguments: [
        ("123 456", "123456"), ("123-456", "123456"), ("١٢٣٤٥٦", "123456"), ("１２３４５６", "123456"),
        ("\u{200F}123456", "123456"), ("ABCD-efgh", "ABCD-efgh"), ("abcd efgh", "abcdefgh"),
    ])
    func `Typed text of a code is sent in ASCII digits, without the marks of its groups`(text: String, code: String) {
        expectEqual(sent(.oneTimeCode, text), code)
        var fields = Fields([Field("field", .authenticatorCode, Phrase("field.code"), text: text)])
        expectEqual(fields.validate(), code == "123456")
    }

    @Test func `Typed text of an address is sent without invisible marks`() {
        expectEqual(sent(.email, "\u{200E}ada@example.com\u{202C} "), "ada@example.com")
        expectEqual(sent(.password, " \u{200E}secret "), " \u{200E}secret ")
    }

    @Test func `Typed text is not printed by its input`() {
        let input = ScreenInput.edit(.password, "S3cret")
        #expect(!"\(input) \(String(reflecting: input))".contains("S3cret"))
        var text = ""
        dump(input, to: &text)
        #expect(!text.contains("S3cret"))
    }

    @Test(arguments: [
        ("Ada Lovelace", "AL"), ("👨‍👩‍👧‍👦 🇩🇪", "A"), ("\u{200B}", "A"), ("<b>", "B"), ("élodie 2", "É2"), ("", "A"),
    ])
    func `Typed text of a name has readable initials`(name: String, initials: String) {
        var profile = AccountProfile(id: "1", email: "ada@example.com")
        profile.displayName = name
        let menu = UserMenuScreen(profile)
        expectEqual(menu.initials, initials)
        #expect(menu.title != .verbatim("\u{200B}") && menu.title != .verbatim(""))
    }
}
