// SPDX-License-Identifier: Apache-2.0

/// The text that the system's field of a password shows.
///
/// A password leaves the state of a screen with the request that takes it. The system offers to save it only if its field still
/// contains it when the screen leaves after a success, so the field alone keeps it while it takes no input: during the request,
/// and after the end. It follows the state again as soon as it takes input, such as after a failure.
struct FieldDraft: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    private(set) var text = ""

    /// Takes the field as it is now.
    mutating func follow(_ control: Control) { if control.isEnabled { text = control.text.value } }

    /// Takes what the user has typed.
    mutating func type(_ text: String) { self.text = text }

    /// No text, which is a secret.
    var description: String { "FieldDraft" }
    /// A mirror without children.
    var customMirror: Mirror { Mirror(self, children: [:]) }
}
