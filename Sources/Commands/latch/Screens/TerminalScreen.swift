// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchFoundation
import LatchTexts
import LatchUI

/// A screen on a terminal: it prompts for the fields, prints the notices, and numbers the other buttons.
///
/// ``ScreenMachine`` decides everything, as it does for a view. The last field submits the form; an empty entry in a
/// required field shows the other buttons. A failure that the user cannot correct at a prompt is thrown, because the
/// user can repeat the command.
struct TerminalScreen<S: Screen> {
    private(set) var machine: ScreenMachine<S>
    /// The purpose of the mailed link that the screen waits for; nil if none.
    private let link: ScreenLink.Purpose?
    private let console: ScreenConsole
    private let clock: WallClock
    private let perform: ScreenModel<S>.Perform

    /// The fields that the call has filled in; they are prompted for only if they have a problem.
    private let given: Set<ControlID>
    /// The fields that need no prompt before the next request.
    private var answered: Set<ControlID> = []
    /// The last title that the user has read.
    private var title: Phrase?
    private var shown: Set<Phrase> = []
    private var shownFailure: ScreenFailure?
    /// The other screen to which the user has navigated; nil if none.
    private var wayOn: S.Outcome?

    /// Creates the display of a screen.
    ///
    /// - Parameters:
    ///   - screen: The screen in its initial state; fields that are not empty come from the call.
    ///   - console: The terminal.
    ///   - link: The purpose of the mailed link that the user can paste; nil if none.
    ///   - clock: The clock of deadlines.
    ///   - perform: Performs a request.
    init(
        _ screen: S, on console: ScreenConsole, awaiting link: ScreenLink.Purpose? = nil, clock: WallClock = .system,
        perform: @escaping ScreenModel<S>.Perform
    ) {
        machine = ScreenMachine(screen)
        self.console = console
        self.link = link
        self.clock = clock
        self.perform = perform
        given = Set(screen.fields.all.filter { !$0.text.value.isEmpty }.map(\.id))
    }

    /// Runs the screen to its end.
    ///
    /// - Throws: `CommandError.failed` if the user ends the input, and the error of a request that the user cannot
    ///   correct.
    mutating func run() async throws -> S.Outcome {
        beginEntry()
        try await send(.appear)
        while true {
            if let outcome = wayOn ?? machine.outcome { return outcome }
            show()
            if let date = machine.lockedUntil {
                if try await useRecoveryCode() { continue }
                try await clock.sleep(for: .seconds(max(0, date.timeIntervalSince(clock.now))))
                passTime(to: date)
            } else if fields.isEmpty {
                try await choose()
            } else {
                try await fill()
            }
        }
    }

    private var fields: [Field] { machine.screen.fields.all }
    private var controls: [Control] { machine.controls.flatMap(\.withActions).filter(\.isEnabled) }

    private var buttons: [Control] {
        controls.filter { control in if case .button = control.kind { true } else { false } }
    }
}

// MARK: - Events

extension TerminalScreen {
    /// Sends an input, and performs the resulting requests.
    private mutating func send(_ input: ScreenInput) async throws {
        let before = fields.map(\.id)
        var next: ScreenEvent<S>? = .input(input)
        while let event = next {
            next = nil
            for effect in machine.receive(event) {
                switch effect {
                case .perform(let request):
                    do {
                        next = .response(try await perform(request))
                    } catch {
                        next = .failure(try mendable(error))
                    }
                // A terminal does not keep the previous screen below the next one.
                case .navigate(let outcome): wayOn = outcome
                default: break
                }
            }
        }
        let isSent = if case .press = input { machine.screen.fields.firstProblem == nil } else { false }
        if isSent || fields.map(\.id) != before { beginEntry() }
    }

    /// Returns the failure for an error that the user can correct at a prompt.
    ///
    /// - Throws: Any other error.
    private mutating func mendable(_ error: any Error) throws -> ScreenFailure {
        let failure = ScreenFailure(error, at: clock.now)
        switch failure.reason {
        case .wrongCredentials, .wrongCode, .codeRequired, .locked, .taken, .invalidEmail, .weakPassword, .invalidLink,
            .expired:
            shownFailure = nil
            return failure
        case .offline, .serverFailed, .refused, .signedOut, .stepUpRequired, .forbidden, .suspended, .emailUnverified,
            .termsRequired, .passwordExpired, .clientTooOld, .lastAdministrator,
            .lastSignInMethod, .noPasskey, .passkeyExists, .passkeyRefused, .passkeysUnavailable, .tooManyPasskeys,
            .deviceRefused, .differentUser, .missing, .storeUnavailable, .insecure, .browserUnavailable, .cancelled,
            .unknown:
            throw error
        }
    }

    /// Reports the time, because a lock or a step may have ended.
    private mutating func passTime(to date: Date) {
        let before = fields.map(\.id)
        _ = machine.receive(.time(max(date, clock.now)))
        if fields.map(\.id) != before { beginEntry() }
    }

    /// Begins a new entry: prompts for all fields except those of the call.
    private mutating func beginEntry() { answered = given }
}

// MARK: - Display

extension TerminalScreen {
    /// Prints the texts that the user has not read yet.
    private mutating func show() {
        if machine.screen.title != title {
            title = machine.screen.title
            shown = []
            console.line("\(console.texts(machine.screen.title)) · \(console.server)")
        }
        if let failure = machine.failure, failure != shownFailure {
            console.line(failure.phrase)
            if machine.lockedUntil == nil { showWayToOthers() }
        }
        shownFailure = machine.failure
        for control in machine.screen.content.flatMap(\.withActions) {
            switch control.kind {
            case .heading, .text, .notice: showOnce(control.label)
            case .row, .code, .link:
                let value = control.detail.map { console.texts($0) } ?? control.text.value
                if shown.insert(control.label).inserted { console.line("\(console.texts(control.label)): \(value)") }
            case .field, .button, .toggle, .copy, .qrCode, .progress: break
            }
        }
    }

    /// Prints how to reach the other buttons of a form, once a step has failed.
    private mutating func showWayToOthers() {
        if !fields.isEmpty, buttons.count > 1 { showOnce(Phrase("terminal.others")) }
    }

    private mutating func showOnce(_ phrase: Phrase) {
        if shown.insert(phrase).inserted { console.line(phrase) }
    }
}

// MARK: - Prompts

extension TerminalScreen {
    /// Prompts for the fields and switches that need it, and submits the form.
    private mutating func fill() async throws {
        for field in fields where needsPrompt(field) {
            guard try await ask(field) else { return try await choose() }
            answered.insert(field.id)
        }
        for toggle in controls where toggle.kind == .toggle && !answered.contains(toggle.id) {
            try await ask(toggle)
            answered.insert(toggle.id)
        }
        let entered = fields.map(\.id)
        passTime(to: clock.now)
        let primary = buttons.first { $0.kind == .button(.primary) }
        // The step may have expired while the user typed.
        guard let primary, fields.map(\.id) == entered else { return }
        try await send(.press(primary.id))
    }

    private func needsPrompt(_ field: Field) -> Bool {
        if field.isFixed { return false }
        return field.problem != nil || !answered.contains(field.id) || field.isRequired && field.text.value.isEmpty
    }

    /// Prompts for a field.
    ///
    /// - Returns: False for an empty entry in a required field, which asks for the other buttons.
    private mutating func ask(_ field: Field) async throws -> Bool {
        if let problem = field.problem {
            console.line(problem)
            showWayToOthers()
        }
        let label = console.texts(field.label)
        let present = field.kind.isSecret || field.problem != nil ? "" : field.text.value
        let prompt = present.isEmpty ? label : "\(label) [\(present)]"
        var text = try await console.read(prompt, isShown: !field.kind.isSecret)
        while field.kind == .newPassword, !text.isEmpty {
            // A password that is not shown must be entered twice.
            let again = Phrase("terminal.again", .phrase(field.label))
            if try await console.read(console.texts(again), isShown: false) == text { break }
            console.line(Phrase("terminal.again.different"))
            text = try await console.read(prompt, isShown: false)
        }
        guard !text.isEmpty else { return !field.isRequired || !present.isEmpty }
        _ = machine.receive(.input(.edit(field.id, text)))
        return true
    }

    /// Lets the user enter a recovery code while codes of the authenticator app are locked, and submits the form.
    ///
    /// - Returns: False if the form has no code, or the user prefers to wait.
    private mutating func useRecoveryCode() async throws -> Bool {
        guard let field = fields.first(where: { $0.kind == .oneTimeCode }) else { return false }
        while true {
            let text = try await console.read(console.texts(Phrase("terminal.recoveryCode")), isShown: false)
            guard !text.isEmpty else { return false }
            _ = machine.receive(.input(.edit(field.id, text)))
            // The lock may have ended, or the step expired, while the user typed.
            passTime(to: clock.now)
            guard machine.lockedUntil != nil, fields.contains(where: { $0.id == field.id }) else { return true }
            if buttons.contains(where: { $0.kind == .button(.primary) }) { break }
            console.line(Phrase("terminal.recoveryCode.invalid"))
        }
        answered.insert(field.id)
        try await fill()
        return true
    }

    /// Prompts for a switch; an empty entry leaves it unchanged.
    private mutating func ask(_ toggle: Control) async throws {
        let words = [true: console.texts(Phrase("terminal.yes")), false: console.texts(Phrase("terminal.no"))]
        let prompt = "\(console.texts(toggle.label)) [\(words[toggle.isOn] ?? "")]"
        while true {
            let text = try await console.read(prompt).lowercased()
            if text.isEmpty { return }
            // Spanish "sí" is often typed without its accent.
            let word = text == "si" ? "sí" : text
            if let isOn = words.first(where: { $0.value.hasPrefix(word) })?.key {
                return try await send(.set(toggle.id, isOn))
            }
        }
    }

    /// Lets the user choose a button by its number, or paste the mailed link; a single button needs no choice.
    private mutating func choose() async throws {
        let buttons = buttons
        if let only = buttons.first, buttons.count == 1 {
            guard fields.isEmpty else { return }
            return try await send(.press(only.id))
        }
        guard !buttons.isEmpty else { throw console.cancelled }
        for (number, button) in buttons.enumerated() { console.line("  \(number + 1)  \(console.texts(button.label))") }
        let link = fields.isEmpty ? link : nil
        while true {
            let prompt = Phrase(link == nil ? "terminal.number" : "terminal.link")
            let text = try await console.read(console.texts(prompt))
            if let number = Int(text), buttons.indices.contains(number - 1) {
                let button = buttons[number - 1]
                // The fields must be filled in first.
                if button.kind == .button(.primary), !fields.isEmpty { return }
                return try await send(.press(button.id))
            }
            // The address may have been verified in a browser in the meantime.
            if text.isEmpty, link != nil { return try await send(.activate) }
            if let link, let pasted = ScreenLink(pasted: text, for: link, at: console.server) {
                return try await send(.open(pasted))
            }
            console.line(Phrase(link == nil ? "terminal.number.invalid" : "terminal.link.invalid"))
        }
    }
}
