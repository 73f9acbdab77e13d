// SPDX-License-Identifier: Apache-2.0

/// A check that a text looks like an e-mail address, to find typing errors before a form is sent.
///
/// Only a mail that arrives proves an address. The quoted form of RFC 5322 is rejected.
enum EmailShape {
    static func isPlausible(_ text: String) -> Bool {
        // A dot-atom (RFC 5322 §3.2.3) and labels (RFC 1034 §3.5).
        let shape = #/
            [A-Za-z0-9!\#$%&'*+\/=?^_`{|}~-]+ ( \. [A-Za-z0-9!\#$%&'*+\/=?^_`{|}~-]+ )*
            @ ( [A-Za-z0-9] ([A-Za-z0-9-]{0,61} [A-Za-z0-9])? \. )+ [A-Za-z]{2,63}
            /#
        guard text.wholeMatch(of: shape) != nil else { return false }
        // RFC 5321 §4.5.3.1: 254 bytes, and 64 of them before the @.
        return text.utf8.count <= 254 && text.utf8.prefix { $0 != UInt8(ascii: "@") }.count <= 64
    }
}
