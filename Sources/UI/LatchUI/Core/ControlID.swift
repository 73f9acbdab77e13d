// SPDX-License-Identifier: Apache-2.0

/// The identifier of a control: a name that is the same in all languages and versions, and the item that it belongs to.
///
/// Views and tests find a control by it, and it is the control's accessibility identifier.
public struct ControlID: Hashable, Sendable, Codable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name, such as `submit`.
    public let name: String
    /// The identifier of the item in a list, such as a device's; nil for a control that the screen has once.
    public let item: String?

    /// Creates the identifier of a control, or of one in an item of a list.
    public init(_ name: String, item: String? = nil) {
        self.name = name
        self.item = item
    }

    /// Creates the identifier of a control that the screen has once.
    public init(stringLiteral value: String) { self.init(value) }

    /// The name, with the item after a slash.
    public var description: String { item.map { "\(name)/\($0)" } ?? name }
}

// Controls of several screens; the other identifiers are in the file of their screen.
extension ControlID {
    /// The title of the screen.
    public static let title: ControlID = "title"
    /// The text below the title.
    public static let explanation: ControlID = "explanation"
    /// The notice of a failure.
    public static let failure: ControlID = "failure"
    /// The notice of a success or a piece of news.
    public static let notice: ControlID = "notice"
    /// The progress indicator of a running request.
    public static let progress: ControlID = "progress"
    /// The button that loads the content again.
    public static let retry: ControlID = "retry"
    /// The button that cancels the running request, or leaves the screen if there is none.
    public static let cancel: ControlID = "cancel"
    /// The button that leaves the screen when its work is done.
    public static let done: ControlID = "done"
    /// The button that sends the form.
    public static let submit: ControlID = "submit"
    /// The button that returns to the step before.
    public static let back: ControlID = "back"
    /// The email address, or the user name where both are accepted.
    public static let email: ControlID = "email"
    /// The password of the account.
    public static let password: ControlID = "password"
    /// A password that the user chooses.
    public static let newPassword: ControlID = "newPassword"
    /// A code of the authenticator app, or a recovery code.
    public static let code: ControlID = "code"
}
