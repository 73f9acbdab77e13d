// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchAccounts
import LatchTexts

@testable import LatchUI

extension ScreenScenario where S == SignInScreen {
    static let signIn = scenario("Sign-in") { $0.providers = [.apple] }

    static let unverifiedSignIn: ScreenScenario = {
        var unverified = scenario("Sign-in with an address to confirm") { $0.offersPasswordReset = false }
        unverified.failures = [.offline, .emailUnverified, .codeRequired, .cancelled]
        return unverified
    }()

    static let dismissibleSignIn = scenario("Sign-in that may be left") {
        $0.acceptsUsername = true
        $0.offersRegistration = false
        $0.offersPasswordReset = false
        $0.isDismissible = true
    }

    private static func scenario(_ name: String, change: (inout SignInScreen.Options) -> Void) -> ScreenScenario {
        var options = SignInScreen.Options()
        change(&options)
        return ScreenScenario(
            name: name, screen: SignInScreen(options: options),
            step: { screen in
                switch screen.step {
                case .credentials where screen.loading != nil: "before loading"
                case .credentials where screen.fields.all.isEmpty: "other ways"
                case .credentials where screen.fields[.password] == nil: "address without a password"
                case .credentials: "credentials"
                case .credentialsWithCode: "credentials with code"
                case .secondFactor: "second factor"
                case .codeAddress: "address of a code"
                case .mailedCode: "mailed code"
                case .mailedCodeWithFactor: "mailed code with second factor"
                }
            },
            responses: { request in
                switch request {
                case .loadWays:
                    [
                        .ways(nil), .ways(SignInWays(hasPassword: false, hasCode: true)),
                        .ways(SignInWays(hasPassword: false, hasPasskey: false, providers: [], hasSignUp: false)),
                    ]
                case .signIn: [.signedIn, .challenged(challenge)]
                case .requestCode, .resendCode: [.mailed(mailedCode)]
                case .verify, .redeemCode, .provider, .passkey: [.signedIn]
                }
            })
    }

    static let passkeySignIn: ScreenScenario = {
        var passkeys = scenario("Sign-in with passkeys") {
            $0.offersPasskey = true
            $0.suggestsPasskeys = true
            $0.offersRegistration = false
        }
        passkeys.failures = [.offline, .codeRequired, .expired, .noPasskey, .passkeyRefused, .cancelled]
        return passkeys
    }()

    static let codeSignIn: ScreenScenario = {
        var codes = scenario("Sign-in with a mailed code") {
            $0.offersCode = true
            $0.offersRegistration = false
            $0.offersPasswordReset = false
            $0.isDismissible = true
        }
        codes.failures = [.wrongCode, .codeRequired, .expired]
        return codes
    }()

    static let mailedCode = MailedCodeChallenge(
        email: "ada@example.com", expiryDate: Date(timeIntervalSince1970: 600), token: secret)
    static let challenge = SignInChallenge(token: secret, expiryDate: Date(timeIntervalSince1970: 300))
}

extension SignInScreen: FlowScreen {
    static var sample: AuthRoute { .signIn(email: "ada@example.com") }
    static var outcomes: [Outcome] {
        let email = "ada@example.com"
        return [.signedIn, .registration(email: email), .passwordReset(email: email), .verification(email: email)]
    }
    static var leaving: Outcome { .cancelled }
    static var scenarios: [ScreenScenario<Self>] {
        [.signIn, .dismissibleSignIn, .passkeySignIn, .unverifiedSignIn, .codeSignIn]
    }
}

extension ScreenScenario where S == RegistrationScreen {
    static let registration = scenario("Registration")

    static let fullRegistration: ScreenScenario = {
        var options = RegistrationScreen.Options()
        options.fields = [Field("newsletter", .checkbox, .verbatim("News"), isRequired: false)]
        options.terms = URL(string: "https://example.com/terms").map {
            .init(version: "2026-01", url: $0, privacyURL: $0)
        }
        var full = scenario("Registration with a field and terms", options)
        full.failures = [.offline, .cancelled]
        return full
    }()

    private static func scenario(
        _ name: String, _ options: RegistrationScreen.Options = RegistrationScreen.Options()
    ) -> ScreenScenario {
        ScreenScenario(
            name: name, screen: RegistrationScreen(options: options), step: { _ in "form" },
            responses: { request in
                switch request {
                case .signUp(_, let email, _, _, _): [.signedUp(email: email)]
                }
            }, failures: [.offline, .taken, .invalidEmail, .weakPassword, .locked, .cancelled])
    }
}

extension RegistrationScreen: FlowScreen {
    static var sample: AuthRoute { .registration(email: "ada@example.com") }
    static var outcomes: [Outcome] { [.registered(email: "ada@example.com"), .signIn(email: "ada@example.com")] }
    static var leaving: Outcome { .cancelled }
    static var scenarios: [ScreenScenario<Self>] { [.registration, .fullRegistration] }
}

extension ScreenScenario where S == EmailVerificationScreen {
    static let verification = ScreenScenario(
        name: "Email verification", screen: EmailVerificationScreen(email: "ada@example.com"),
        step: { screen in
            switch screen.step {
            case .waiting: screen.loading == nil ? "waiting" : "waiting with a link"
            case .password: "password"
            case .usedLink: "used link"
            case .verified: "verified"
            }
        },
        responses: { request in
            switch request {
            case .resend: [.sent]
            case .verify(_, let password):
                password == nil
                    ? [.verified(email: "ada@example.com", isChangePending: true)] : [.verified(), .signedIn]
            case .check: [.verifiedElsewhere(email: "ada@example.com"), .waiting, .unknown]
            }
        },
        failures: [
            .offline, .codeRequired, .wrongCredentials, .invalidLink, .invalidEmail, .weakPassword, .locked, .cancelled,
        ],
        links: [ScreenLink(.verifyEmail, token: secret), ScreenLink(.resetPassword, token: secret)])
}

extension EmailVerificationScreen: FlowScreen {
    static var sample: AuthRoute { .verification(EmailVerificationScreen(email: "ada@example.com")) }
    static var outcomes: [Outcome] {
        [.verified(email: "ada@example.com"), .signIn(email: "ada@example.com"), .signedIn]
    }
    static var leaving: Outcome { .later }
    static var scenarios: [ScreenScenario<Self>] { [.verification] }
}

extension ScreenScenario where S == PasswordResetScreen {
    static let passwordReset = ScreenScenario(
        name: "Password reset", screen: PasswordResetScreen(),
        step: { screen in
            switch screen.step {
            case .address: "address"
            case .waiting: "waiting"
            case .password: "password"
            case .done: "done"
            }
        },
        responses: { request in
            switch request {
            case .send(let email): [.sent(email: email)]
            case .reset: [.reset(email: "ada@example.com"), .signedIn]
            }
        }, failures: [.offline, .codeRequired, .invalidLink, .invalidEmail, .weakPassword, .locked, .cancelled],
        links: [ScreenLink(.resetPassword, token: secret), ScreenLink(.verifyEmail, token: secret)])
}

extension PasswordResetScreen: FlowScreen {
    static var sample: AuthRoute { .passwordReset(PasswordResetScreen(email: "ada@example.com")) }
    static var outcomes: [Outcome] { [.signIn(email: "ada@example.com"), .signedIn] }
    static var leaving: Outcome { .cancelled }
    static var scenarios: [ScreenScenario<Self>] { [.passwordReset] }
}

extension ScreenScenario where S == ChangePasswordScreen {
    static let changePassword = ScreenScenario(
        name: "Change of the password", screen: ChangePasswordScreen(email: "ada@example.com"),
        step: { $0.isChanged ? "changed" : "form" },
        responses: { _ in [.changed] },
        failures: [.offline, .wrongCredentials, .weakPassword, .locked, .cancelled])
}

extension ChangePasswordScreen: FlowScreen {
    static var outcomes: [Outcome] { [.changed, .passwordReset] }
    static var leaving: Outcome { .cancelled }
    static var scenarios: [ScreenScenario<Self>] { [.changePassword] }
}

extension ScreenScenario where S == SecondFactorScreen {
    static let secondFactor = ScreenScenario(
        name: "Second factor", screen: SecondFactorScreen(),
        step: { screen in
            switch screen.step {
            case .introduction: "introduction"
            case .secret: "secret"
            case .newCodes: "new codes"
            case .removal: "removal"
            case .recoveryCodes: "recovery codes"
            case .removed: "removed"
            }
        },
        responses: { request in
            switch request {
            case .begin:
                [
                    .begun(
                        SecondFactorSetup(
                            secret: secret, uri: "otpauth://totp/a?secret=\(secret)", recoveryCodes: [code]))
                ]
            case .confirm: [.confirmed]
            case .replaceRecoveryCodes: [.replaced([FieldText(code, isSecret: true)])]
            case .remove: [.removed]
            }
        })
}

extension SecondFactorScreen: FlowScreen {
    static var outcomes: [Outcome] { [.enabled, .disabled] }
    static var leaving: Outcome { .cancelled }
    static var scenarios: [ScreenScenario<Self>] { [.secondFactor] }
}

extension ScreenScenario where S == StepUpScreen {
    static let stepUp = scenario("Step-up", StepUpScreen.Methods())

    static let fullStepUp = scenario(
        "Step-up with every way",
        StepUpScreen.Methods(hasPasskey: true, hasSecondFactor: true, providers: [.apple]),
        failures: [.offline, .wrongCredentials, .wrongCode, .cancelled])

    static let emptyStepUp = scenario("Step-up without a way", StepUpScreen.Methods(hasPassword: false))

    private static func scenario(
        _ name: String, _ methods: StepUpScreen.Methods,
        failures: [ScreenFailure.Reason] = [
            .offline, .wrongCredentials, .wrongCode, .codeRequired, .locked, .cancelled,
        ]
    ) -> ScreenScenario {
        ScreenScenario(
            name: name, screen: StepUpScreen(),
            step: { screen in
                let fields = screen.fields.all.map(\.id.name)
                let name = fields.isEmpty ? "no field" : fields.joined(separator: " and ")
                return screen.loading == nil ? name : "before loading: \(name)"
            },
            responses: { request in
                if case .load = request { [.loaded(methods)] } else { [.authenticated] }
            }, failures: failures)
    }
}
