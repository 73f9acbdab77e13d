// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// The rules of a message, as text that is read when the first message is checked.
///
/// One line for each field that has rules: its name and its rules, which are named as in protovalidate and have a value
/// behind `=` where they need one. Texts stand between quotes, bytes as quoted hexadecimal digits, times as seconds and
/// billionths with a colon between; `items(…)`, `keys(…)` and `values(…)` hold the rules of what is in a list or a map.
/// Lines of oneofs begin with `@oneof NAME`, and those of fields that exclude each other with `@one`:
///
/// ```
/// email required string.email string.max_len=254
/// tags repeated.max_items=10 items( string.pattern="^[a-z]+$" )
/// @oneof contact required
/// @one phone,fax required
/// ```
///
/// A rule that this version does not know is an error of whoever wrote the text; it is broken by every message, so that
/// nothing passes by mistake.
public final class MessageRules: Sendable {
    private let text: String
    private let read = Mutex<RulePlan?>(nil)

    /// Rules by their text.
    public init(_ text: String = "") { self.text = text }

    /// The rules with the fields of a message.
    func plan(for schema: MessageSchema) -> RulePlan {
        read.withLock { read in
            if let read { return read }
            let plan = RulePlan(text, schema)
            read = plan
            return plan
        }
    }
}
