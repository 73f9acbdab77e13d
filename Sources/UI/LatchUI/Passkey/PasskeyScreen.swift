// SPDX-License-Identifier: Apache-2.0

public import LatchTexts

/// The offer of a passkey after a sign-in with a password.
///
/// The registration itself belongs to the app's server: the request is a closure, in which an app asks it for a challenge,
/// and the device for the key.
public struct PasskeyScreen: Screen {
    /// The work of the screen.
    public enum Request: Hashable, Sendable {
        /// Create a passkey.
        case create
    }

    /// The answer to a request.
    public enum Response: Hashable, Sendable {
        /// The passkey is stored on the device and registered at the server.
        case created
    }

    /// The way on.
    public enum Outcome: Hashable, Sendable {
        /// The account has a passkey.
        case created
        /// The user goes on without one.
        case later
    }

    /// The account for which the passkey is, as the user knows it.
    public let account: String
    private var isCreated = false

    /// Creates the offer for an account.
    public init(account: String) { self.account = account }

    /// The title.
    public var title: Phrase { Phrase("passkey.title") }

    /// The explanation and the ways on; then the success.
    public var content: [Control] {
        isCreated
            ? [
                .notice(.success, Phrase("passkey.done", .text(account))),
                .button(.done, .primary, Phrase("button.continue")),
            ]
            : [
                .text(Phrase("passkey.explanation", .text(account))),
                .button(.submit, .primary, Phrase("passkey.submit")),
                .button(.cancel, .cancel, Phrase("passkey.later")),
            ]
    }

    /// Takes the press of a button.
    public mutating func press(_ control: ControlID) -> ScreenStep<Self> {
        switch control {
        case .submit: .perform(.create)
        case .done: .finish(.created)
        default: .finish(.later)
        }
    }

    /// Takes the answer.
    public mutating func receive(_ response: Response) -> ScreenStep<Self> {
        isCreated = true
        return .stay
    }
}

/// The model of a ``PasskeyScreen``.
public typealias PasskeyModel = ScreenModel<PasskeyScreen>
