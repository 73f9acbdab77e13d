// SPDX-License-Identifier: Apache-2.0

/// A check that a text looks like an email address, which finds typing errors before a form is sent.
///
/// Only a received email proves an address. The quoted form of RFC 5322 is rejected.
enum DotAtomAddress {
    static func isPlausible(_ text: String) -> Bool {
        // RFC 5321 §4.5.3.1: at most 254 bytes, and at most 64 of them before the @.
        guard text.utf8.count <= 254, text.utf8.prefix(while: { $0 != UInt8(ascii: "@") }).count <= 64 else {
            return false
        }
        // A dot-atom (RFC 5322 §3.2.3) and labels (RFC 1034 §3.5).
        let shape =
            #/
            [!\#$%&'*+\/=?^_`{|}~A-Za-z0-9-]+ ( \. [!\#$%&'*+\/=?^_`{|}~A-Za-z0-9-]+ )*
            @ ( [A-Za-z0-9] ([A-Za-z0-9-]{0,61} [A-Za-z0-9])? \. )+ [A-Za-z]{2,63}
            /#
        return text.wholeMatch(of: shape) != nil
    }
}
