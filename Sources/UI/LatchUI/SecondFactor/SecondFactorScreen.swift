// SPDX-License-Identifier: Apache-2.0

public import LatchAccounts
public import LatchCore
public import LatchTexts

/// The set-up of a second factor: the secret for the authenticator app, a first code, and the recovery codes.
///
/// The recovery codes come after the code, so that nobody keeps those of a factor that does not hold. The secret leaves with
/// the step that shows it.
public struct SecondFactorScreen: Screen {
    /// The step of a set-up.
    public enum Step: Hashable, Sendable {
        /// The explanation.
        case introduction
        /// The secret, and the field of the first code.
        case secret(SecondFactorSetup)
        /// The recovery codes of a factor that holds.
        case recoveryCodes([FieldText])
    }

    /// The work of the screen.
    public enum Request: Hashable, Sendable {
        /// Create the secrets.
        case begin
        /// Confirm them by a code.
        case confirm(code: FieldText)
    }

    /// The answer to a request.
    public enum Response: Hashable, Sendable {
        /// The secrets, which do not hold yet.
        case begun(SecondFactorSetup)
        /// The factor holds.
        case confirmed
    }

    /// The way on.
    public enum Outcome: Hashable, Sendable {
        /// The factor holds.
        case enabled
        /// The user has left the screen; no factor holds that did not before.
        case cancelled
    }

    /// The step.
    public private(set) var step = Step.introduction
    /// The field of the code, in its step.
    public var fields = Fields()

    /// Creates the screen.
    public init() {}

    /// The title.
    public var title: Phrase {
        switch step {
        case .introduction, .secret: Phrase("secondFactor.title")
        case .recoveryCodes: Phrase("secondFactor.codes.title")
        }
    }

    /// The explanation, the secret and its field, or the recovery codes.
    public var content: [Control] {
        switch step {
        case .introduction:
            [
                .text(Phrase("secondFactor.explanation")),
                .button(.submit, .primary, Phrase("secondFactor.begin")),
                .button(.cancel, .cancel, Phrase("button.cancel")),
            ]
        case .secret(let setup):
            [.text(Phrase("secondFactor.scan"))] + Self.links(setup) + [
                .code(.secret, Phrase("secondFactor.secret"), FieldText(setup.secret, isSecret: true))
            ] + fields.controls + [
                .button(.submit, .primary, Phrase("secondFactor.confirm")),
                .button(.cancel, .cancel, Phrase("button.cancel")),
            ]
        case .recoveryCodes(let codes):
            [
                .notice(.success, Phrase("secondFactor.done")), .text(Phrase("secondFactor.codes.explanation")),
            ]
                + codes.enumerated().map { number, code in
                    .code(
                        ControlID("recoveryCode", item: "\(number + 1)"),
                        Phrase("secondFactor.code", .text("\(number + 1)")), code)
                } + [.button(.done, .primary, Phrase("secondFactor.saved"))]
        }
    }

    /// Returns the link that opens the authenticator app of this device, and from which a view draws the QR code.
    private static func links(_ setup: SecondFactorSetup) -> [Control] {
        guard setup.uri.utf8.starts(with: "otpauth://".utf8) else { return [] }
        var link = Control(.authenticator, .link, Phrase("secondFactor.open"))
        // It contains the secret.
        link.text = FieldText(setup.uri, isSecret: true)
        return [link]
    }

    /// Takes the press of a button.
    public mutating func press(_ control: ControlID) -> ScreenStep<Self> {
        switch (control, step) {
        case (.submit, .introduction): .perform(.begin)
        case (.submit, _): submitting { .confirm(code: $0.secret(.code)) }
        case (.done, .recoveryCodes): .finish(.enabled)
        default: .finish(.cancelled)
        }
    }

    /// Takes the answer: the next step.
    public mutating func receive(_ response: Response) -> ScreenStep<Self> {
        switch (response, step) {
        case (.begun(let setup), _):
            step = .secret(setup)
            fields = Fields([Field(.code, .oneTimeCode, Phrase("field.code"))])
        case (.confirmed, .secret(let setup)):
            step = .recoveryCodes(setup.recoveryCodes.map { FieldText($0, isSecret: true) })
            fields = Fields()
        case (.confirmed, _): break
        }
        return .stay
    }

    /// Takes a failure: a set-up that has expired begins again.
    public mutating func receive(_ failure: ScreenFailure) -> ScreenFailure? {
        switch (failure.reason, step) {
        case (.wrongCode, .secret):
            fields.setProblem(failure.phrase, of: .code)
            return nil
        case (.missing, .secret), (.expired, .secret):
            step = .introduction
            fields = Fields()
            return ScreenFailure(.expired)
        default: return failure
        }
    }
}

extension Control {
    /// Returns a text to copy.
    public static func code(_ id: ControlID, _ label: Phrase, _ text: FieldText) -> Control {
        var code = Control(id, .code, label)
        code.text = text
        return code
    }
}

extension ControlID {
    /// The secret of the authenticator app.
    public static let secret: ControlID = "secret"
    /// The link that opens the authenticator app, and from which a view draws the QR code.
    public static let authenticator: ControlID = "authenticator"
}

/// The model of a ``SecondFactorScreen``.
public typealias SecondFactorModel = ScreenModel<SecondFactorScreen>

extension ScreenModel where S == SecondFactorScreen {
    /// Creates the set-up for a client's user.
    public convenience init(
        _ client: AuthClient, clock: WallClock = .system,
        onFinish: @escaping @MainActor (SecondFactorScreen.Outcome) -> Void = { _ in }
    ) {
        self.init(SecondFactorScreen(), clock: clock, onFinish: onFinish) { request in
            switch request {
            case .begin: return .begun(try await client.beginSecondFactor())
            case .confirm(let code):
                try await client.confirmSecondFactor(code: code.value)
                return .confirmed
            }
        }
    }
}
