// SPDX-License-Identifier: Apache-2.0

public import LatchTexts

/// The lock of an app on this device, which Face ID, Touch ID or the device's code opens.
///
/// It protects the screen, not the account: the session stays signed in while the app is locked.
public struct UnlockScreen: Screen {
    /// The work of the screen.
    public enum Request: Hashable, Sendable {
        /// Authenticate the owner of the device.
        case authenticate
        /// Sign out.
        case signOut
    }

    /// The answer to a request.
    public enum Response: Hashable, Sendable {
        /// The owner is there.
        case authenticated
        /// No user is signed in any more.
        case signedOut
    }

    /// The way on.
    public enum Outcome: Hashable, Sendable {
        /// The app is open.
        case unlocked
        /// The user has signed out in place of it.
        case signedOut
    }

    /// The name of the app.
    public let app: String

    /// Creates the lock of an app.
    public init(app: String) { self.app = app }

    /// The title.
    public var title: Phrase { Phrase("unlock.title", .text(app)) }

    /// The explanation, and the two ways on.
    public var content: [Control] {
        [
            .text(Phrase("unlock.explanation")),
            .button(.submit, .primary, Phrase("unlock.submit")),
            .button(.signOut, .link, Phrase("profile.signOut")),
        ]
    }

    /// Takes the press of a button.
    public mutating func press(_ control: ControlID) -> ScreenStep<Self> {
        .perform(control == .submit ? .authenticate : .signOut)
    }

    /// Takes the answer.
    public mutating func receive(_ response: Response) -> ScreenStep<Self> {
        .finish(response == .authenticated ? .unlocked : .signedOut)
    }
}

/// The model of an ``UnlockScreen``.
public typealias UnlockModel = ScreenModel<UnlockScreen>
