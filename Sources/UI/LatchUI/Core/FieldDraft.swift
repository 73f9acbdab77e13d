// SPDX-License-Identifier: Apache-2.0

/// The text that the system's field of a password shows.
///
/// A screen removes a password from its state when a request takes it. The system offers to save a password only if the
/// field still contains it when the screen closes after a success. So the field keeps the text while it is disabled:
/// during the request, and after the end of the screen. It follows the state again once it is enabled, such as after a
/// failure.
struct FieldDraft: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    private(set) var text = ""

    /// Copies the text of the field, if the field is enabled.
    mutating func follow(_ control: Control) { if control.isEnabled { text = control.text.value } }

    /// Replaces the text with the typed one.
    mutating func type(_ text: String) { self.text = text }

    /// The name of the type; the text is a secret.
    var description: String { "FieldDraft" }
    /// A mirror without children.
    var customMirror: Mirror { Mirror(self, children: [:]) }
}
