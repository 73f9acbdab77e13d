// SPDX-License-Identifier: Apache-2.0

public import LatchTexts

/// The lock of an app on this device, which Face ID, Touch ID or the device's code opens.
///
/// It protects the screen, not the account: the session stays signed in while the app is locked.
public struct UnlockScreen: Screen {
    /// A request of the screen.
    public enum Request: Hashable, Sendable {
        /// Authenticate the owner of the device.
        case authenticate
    }

    /// The response to a request.
    public enum Response: Hashable, Sendable {
        /// The owner has authenticated.
        case authenticated
    }

    /// The end of the screen, or a screen that follows it.
    public enum Outcome: Hashable, Sendable {
        /// The app is open.
        case unlocked
        /// The user wants to sign out instead.
        case signOut
    }

    /// The name of the app.
    public let app: String

    /// Creates the lock of an app.
    public init(app: String) { self.app = app }

    /// The sentence that the named app is locked.
    public var title: Phrase { Phrase("unlock.title", .text(app)) }

    /// The explanation, and the two buttons.
    public var content: [Control] {
        [
            .text(Phrase("unlock.explanation")),
            .button(.submit, .primary, Phrase("unlock.submit")),
            .button(.signOut, .link, Phrase("profile.signOut")),
        ]
    }

    /// Handles the press of a button.
    public mutating func press(_ control: ControlID) -> ScreenStep<Self> {
        control == .submit ? .perform(.authenticate) : .finish(.signOut)
    }

    /// Handles the response.
    public mutating func receive(_ response: Response) -> ScreenStep<Self> { .finish(.unlocked) }
}

/// The model of an ``UnlockScreen``.
public typealias UnlockModel = ScreenModel<UnlockScreen>
