// SPDX-License-Identifier: Apache-2.0

public import LatchAccounts
public import LatchCore
public import LatchTexts

/// The second factor of the user: its set-up, new recovery codes, and its removal.
///
/// A set-up shows the secret for the authenticator app, verifies a first code, and then shows the recovery codes. So
/// users never keep recovery codes of an inactive factor. A confirmation with a lost response may have taken effect:
/// the screen then offers new recovery codes for a code of the app. A secret is removed after the step that shows it.
public struct SecondFactorScreen: Screen {
    /// The step of the screen.
    public enum Step: Hashable, Sendable {
        /// The explanation, and the three choices.
        case introduction
        /// The secret, and the field of the first code.
        case secret(SecondFactorSetup)
        /// The field of a code, for new recovery codes.
        case newCodes
        /// The field of a code, for the removal.
        case removal
        /// The recovery codes of an active factor.
        case recoveryCodes([FieldText])
        /// The factor is removed.
        case removed
    }

    /// A request of the screen.
    public enum Request: Hashable, Sendable {
        /// Create the secrets.
        case begin
        /// Confirm them with a code.
        case confirm(code: FieldText)
        case replaceRecoveryCodes(code: FieldText)
        /// Remove the factor.
        case remove(code: FieldText)
    }

    /// The response to a request.
    public enum Response: Hashable, Sendable {
        /// The secrets, which are not active yet.
        case begun(SecondFactorSetup)
        /// The factor is active.
        case confirmed
        /// The new recovery codes.
        case replaced([FieldText])
        /// The factor is removed.
        case removed
    }

    /// The end of the screen, or a screen that follows it.
    public enum Outcome: Hashable, Sendable {
        /// The factor is active.
        case enabled
        /// The account no longer has a second factor.
        case disabled
        /// The user has left the screen.
        case cancelled
    }

    /// The step, from the introduction to the recovery codes, or to the removal.
    public private(set) var step = Step.introduction
    /// The field of the code, in its step.
    public var fields = Fields()
    /// Whether the recovery codes replace others of the same factor.
    private var isReplacement = false
    /// The recovery codes of a late response, until the running request has ended.
    private var lateCodes: [FieldText]?
    /// Whether a confirmation is running.
    private var isConfirming = false
    /// Whether the response to a confirmation was lost, so that the factor may be active.
    private var isUnsure = false

    /// Creates the screen.
    public init() {}

    /// The heading of the step.
    public var title: Phrase {
        switch step {
        case .introduction, .secret, .removed: Phrase("secondFactor.title")
        case .newCodes: Phrase("secondFactor.newCodes")
        case .removal: Phrase("secondFactor.off")
        case .recoveryCodes: Phrase("secondFactor.codes.title")
        }
    }

    /// False while the recovery codes are shown, since they are shown only once.
    public var canBeDismissed: Bool { if case .recoveryCodes = step { false } else { true } }

    /// The controls of the step.
    public var content: [Control] {
        switch step {
        case .introduction:
            [
                .text(Phrase("secondFactor.explanation")),
                .button(.submit, .primary, Phrase("secondFactor.begin")),
                .button(.newRecoveryCodes, .secondary, Phrase("secondFactor.newCodes")),
                .button(.removeSecondFactor, .destructive, Phrase("secondFactor.off")),
                .button(.cancel, .cancel, Phrase("button.cancel")),
            ]
        case .secret(let setup): Self.secretControls(setup) + form(Phrase("secondFactor.confirm"), .primary)
        case .newCodes:
            [newCodesExplanation] + form(Phrase("secondFactor.newCodes.submit"), .primary)
        case .removal:
            [.notice(.warning, Phrase("secondFactor.off.warning"))]
                + form(Phrase("secondFactor.off.submit"), .destructive)
        case .recoveryCodes(let codes): codeControls(codes)
        case .removed:
            [
                .notice(.success, Phrase("secondFactor.off.done")),
                .button(.done, .primary, Phrase("button.continue")),
            ]
        }
    }

    /// The field of the code with its buttons.
    private func form(_ submit: Phrase, _ role: Control.ButtonRole) -> [Control] {
        fields.controls + [
            .button(.submit, role, submit), .button(.cancel, .cancel, Phrase("button.cancel")),
        ]
    }

    private var newCodesExplanation: Control {
        isUnsure
            ? .notice(.warning, Phrase("secondFactor.unsure")) : .text(Phrase("secondFactor.newCodes.explanation"))
    }

    /// Returns the controls that transfer the secret to an authenticator app: a QR code, a link, and a text to copy.
    private static func secretControls(_ setup: SecondFactorSetup) -> [Control] {
        var all: [Control] = [.notice(.information, Phrase("secondFactor.scan"))]
        if setup.uri.utf8.starts(with: "otpauth://".utf8) {
            // It contains the secret.
            let uri = FieldText(setup.uri, isSecret: true)
            all.append(.qrCode(.qrCode, Phrase("secondFactor.qr"), uri))
            var link = Control(.authenticator, .link, Phrase("secondFactor.open"))
            link.text = uri
            all.append(link)
        }
        return all + [
            .code(.secret, Phrase("secondFactor.secret"), FieldText(setup.secret.inGroups(of: 4), isSecret: true)),
            .copy(.copySecret, Phrase("secondFactor.copyKey"), FieldText(setup.secret, isSecret: true)),
        ]
    }

    private func codeControls(_ codes: [FieldText]) -> [Control] {
        let texts = codes.enumerated().map { number, code in
            Control.code(
                ControlID("recoveryCode", item: "\(number + 1)"), Phrase("secondFactor.code", .text("\(number + 1)")),
                code)
        }
        let all = FieldText(codes.map(\.value).joined(separator: "\n"), isSecret: true)
        let notice = Phrase(isReplacement ? "secondFactor.replaced" : "secondFactor.done")
        return [.notice(.success, notice), .text(Phrase("secondFactor.codes.explanation"))] + texts + [
            .copy(.copyCodes, Phrase("secondFactor.copyAll"), all),
            .button(.done, .primary, Phrase("secondFactor.saved")),
        ]
    }

    /// Handles the press of a button.
    public mutating func press(_ control: ControlID) -> ScreenStep<Self> {
        switch (control, step) {
        case (.submit, .introduction): return .perform(.begin)
        case (.newRecoveryCodes, _): return show(.newCodes)
        case (.removeSecondFactor, _): return show(.removal)
        case (.submit, .newCodes): return submitting { .replaceRecoveryCodes(code: $0.secret(.code)) }
        case (.submit, .removal): return submitting { .remove(code: $0.secret(.code)) }
        case (.submit, _):
            let step = submitting { .confirm(code: $0.secret(.code)) }
            if case .perform = step { isConfirming = true }
            return step
        case (.cancel, .newCodes), (.cancel, .removal): return show(.introduction)
        case (.done, .recoveryCodes):
            self = SecondFactorScreen()
            return .finish(.enabled)
        case (.done, .removed):
            self = SecondFactorScreen()
            return .finish(.disabled)
        default:
            self = SecondFactorScreen()
            return .finish(.cancelled)
        }
    }

    /// Handles the response, and continues with the next step.
    public mutating func receive(_ response: Response) -> ScreenStep<Self> {
        (isConfirming, lateCodes) = (false, nil)
        switch (response, step) {
        case (.begun(let setup), _):
            isUnsure = false
            return show(.secret(setup))
        case (.confirmed, .secret(let setup)):
            isReplacement = false
            return show(.recoveryCodes(setup.recoveryCodes.map { FieldText($0, isSecret: true) }))
        // The user has left the confirmation before its response: its codes are lost, and new ones are needed.
        case (.confirmed, _):
            isUnsure = true
            return show(.newCodes)
        case (.replaced(let codes), _):
            isReplacement = true
            return show(.recoveryCodes(codes))
        case (.removed, _): return show(.removed)
        }
    }

    /// Handles a late response; new recovery codes are kept until the running request ends, since it may use the same
    /// code.
    public mutating func receiveLate(_ response: Response, isBusy: Bool) -> ScreenStep<Self> {
        guard isBusy else { return receive(response) }
        if case .replaced(let codes) = response { lateCodes = codes }
        return .stay
    }

    /// Handles a failure: an expired set-up begins again, and a set-up that may be confirmed leads to new codes.
    public mutating func receive(_ failure: ScreenFailure) -> ScreenFailure? {
        defer { isConfirming = false }
        if let codes = lateCodes {
            _ = receive(.replaced(codes))
            return nil
        }
        switch (failure.reason, step) {
        case (.wrongCode, .secret):
            fields.setProblem(Phrase("field.code.wrong"), of: .code)
            return nil
        case (.wrongCode, _) where fields[.code] != nil:
            fields.setProblem(failure.phrase, of: .code)
            return nil
        case (.offline, .secret), (.serverFailed, .secret):
            isUnsure = isUnsure || isConfirming
            return failure
        case (.missing, .secret) where isUnsure:
            _ = show(.newCodes)
            return nil
        case (.missing, .secret), (.expired, .secret):
            self = SecondFactorScreen()
            return ScreenFailure(.expired)
        case (.missing, .newCodes), (.missing, .removal):
            self = SecondFactorScreen()
            return failure
        default: return failure
        }
    }

    /// Records that the response to a canceled confirmation may be lost.
    public mutating func leave() {
        isUnsure = isUnsure || isConfirming
        isConfirming = false
    }

    private mutating func show(_ step: Step) -> ScreenStep<Self> {
        self.step = step
        switch step {
        case .introduction, .recoveryCodes, .removed: (fields, isUnsure) = (Fields(), false)
        // The first code must prove that the authenticator app works; a recovery code does not prove it.
        case .secret: fields = Fields([Field(.code, .authenticatorCode, Phrase("field.code"))])
        case .newCodes, .removal: fields = Fields([Field(.code, .oneTimeCode, Phrase("field.code"))])
        }
        return .stay
    }
}

extension String {
    /// Returns the text in groups of `count` bytes with spaces between them, for reading it off.
    fileprivate func inGroups(of count: Int) -> String {
        let bytes = Array(utf8)
        return stride(from: 0, to: bytes.count, by: count)
            .map { String(decoding: bytes[$0..<min($0 + count, bytes.count)], as: UTF8.self) }
            .joined(separator: " ")
    }
}

extension ControlID {
    /// The secret of the authenticator app.
    public static let secret: ControlID = "secret"
    /// The button that copies the secret.
    public static let copySecret: ControlID = "copySecret"
    /// The QR code that the authenticator app reads.
    public static let qrCode: ControlID = "qrCode"
    /// The link that opens the authenticator app of this device.
    public static let authenticator: ControlID = "authenticator"
    /// The button that copies all recovery codes.
    public static let copyCodes: ControlID = "copyCodes"
    /// The button to new recovery codes.
    public static let newRecoveryCodes: ControlID = "newRecoveryCodes"
    /// The button to the removal of the second factor.
    public static let removeSecondFactor: ControlID = "removeSecondFactor"
}

/// The model of a ``SecondFactorScreen``.
public typealias SecondFactorModel = ScreenModel<SecondFactorScreen>

extension ScreenModel where S == SecondFactorScreen {
    /// Creates the second factor of a client's user.
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
            case .replaceRecoveryCodes(let code):
                let codes = try await client.replaceRecoveryCodes(code: code.value)
                return .replaced(codes.map { FieldText($0, isSecret: true) })
            case .remove(let code):
                try await client.removeSecondFactor(code: code.value)
                return .removed
            }
        }
    }
}

// MARK: - In an app

extension AuthRoute {
    /// The set-up of a second factor.
    public static var secondFactor: AuthRoute { AuthRoute(.secondFactor) }
}

extension SecondFactorScreen: RoutedScreen {
    static var kind: AuthRoute.Kind { .secondFactor }

    static func isAvailable(in flow: AuthFlow) -> Bool { flow.hasUser }

    static func makeModel(at route: AuthRoute, by factory: AuthScreenFactory) -> SecondFactorModel? {
        SecondFactorModel(factory.client, clock: factory.clock)
    }

    static func move(after outcome: Outcome) -> AuthFlow.Move {
        .close(outcome == .cancelled ? nil : .reloadProfile)
    }
}

extension SecondFactorScreen: ReplaceableScreen {
    /// The set-up of a second factor.
    public static var replacement: ScreenReplacement<Outcome> { ScreenReplacement(of: Self.self) }
}
