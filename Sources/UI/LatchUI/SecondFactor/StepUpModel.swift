// SPDX-License-Identifier: Apache-2.0

public import LatchAccounts
public import LatchCore
import LatchHTTP

/// The model of a ``StepUpScreen``.
public typealias StepUpModel = ScreenModel<StepUpScreen>

extension ScreenModel where S == StepUpScreen {
    /// Creates the step-up of a client's session.
    ///
    /// - Parameters:
    ///   - client: The client whose user authenticates.
    ///   - passkeys: The passkeys of this device; nil for none.
    ///   - clock: The clock of locks.
    ///   - reauthenticateThrough: Authenticates the user through a provider, with a second-factor code if the account
    ///     has one, by `AuthClient.reauthenticate(through:using:redirectingTo:code:)`; nil if the app shows no pages.
    ///   - onFinish: Is called when the user is authenticated, or goes another way.
    public convenience init(
        _ client: AuthClient, passkeys: (any PasskeyProvider)? = nil, clock: WallClock = .system,
        reauthenticateThrough: (@Sendable (IdentityProvider, _ code: String?) async throws -> Void)?,
        onFinish: @escaping @MainActor (StepUpScreen.Outcome) -> Void = { _ in }
    ) {
        let passkeys = passkeys.flatMap { $0.isAvailable ? $0 : nil }
        self.init(StepUpScreen(), clock: clock, onFinish: onFinish) { request in
            switch request {
            case .load:
                return .loaded(
                    try await client.stepUpMethods(
                        hasPasskeys: passkeys != nil, hasPages: reauthenticateThrough != nil))
            case .authenticate(let password, let code):
                try await client.reauthenticate(
                    password: password.value, code: code.value.isEmpty ? nil : code.value)
            case .passkey:
                guard let passkeys else { throw AccountError.passkeysUnavailable }
                try await client.reauthenticate(withPasskeyFrom: passkeys)
            case .provider(let provider, let code):
                guard let reauthenticateThrough else { throw ScreenFailure(.browserUnavailable) }
                try await reauthenticateThrough(provider, code.value.isEmpty ? nil : code.value)
            }
            return .authenticated
        }
    }

    /// Creates the step-up of a client's session in an app that shows no pages of providers.
    public convenience init(
        _ client: AuthClient, passkeys: (any PasskeyProvider)? = nil, clock: WallClock = .system,
        onFinish: @escaping @MainActor (StepUpScreen.Outcome) -> Void = { _ in }
    ) {
        self.init(client, passkeys: passkeys, clock: clock, reauthenticateThrough: nil, onFinish: onFinish)
    }
}

extension AuthClient {
    /// Returns the ways in which the user can authenticate again on this device.
    fileprivate func stepUpMethods(hasPasskeys: Bool, hasPages: Bool) async throws -> StepUpScreen.Methods {
        do {
            let methods = try await signInMethods()
            return StepUpScreen.Methods(
                hasPassword: methods.hasPassword, hasPasskey: hasPasskeys && methods.passkeys > 0,
                hasSecondFactor: methods.hasSecondFactor, providers: hasPages ? methods.links.map(\.provider) : [])
        } catch let error as AccountError where error.status == .notFound {
            // A backend without this route has only passwords.
            return StepUpScreen.Methods()
        }
    }
}
