// SPDX-License-Identifier: Apache-2.0

public import LatchCore
public import LatchTexts

/// A form of an app: texts, fields, switches and buttons; each button sends the entries.
///
/// ```swift
/// var form = FormScreen(title: .verbatim("Choose a plan"))
/// form.buttons = [.button("free", .secondary, .verbatim("Free")), .button("pro", .primary, .verbatim("Pro"))]
/// let model = ScreenModel(form) { entries in try await choosePlan(entries.button.name) }
/// ```
public struct FormScreen: Screen {
    /// The entries of the user.
    public struct Entries: Hashable, Sendable {
        /// The button that was pressed.
        public let button: ControlID
        /// The texts of the fields as they are sent; descriptions redact secrets.
        public let texts: [ControlID: FieldText]
        /// The identifiers of the switches that are on.
        public let switches: Set<ControlID>

        /// The text of a field; empty if the form has none.
        public subscript(id: ControlID) -> String { texts[id]?.value ?? "" }

        /// The entries without secrets, since secrets are removed after their request.
        var withoutSecrets: Entries {
            Entries(button: button, texts: texts.filter { !$0.value.isSecret }, switches: switches)
        }
    }

    /// A request of the form.
    public enum Request: Hashable, Sendable {
        case submit(Entries)
    }

    /// The response to a request.
    public enum Response: Hashable, Sendable {
        /// The entries were accepted; without secrets.
        case accepted(Entries)
    }

    /// The end of the screen, or a screen that follows it.
    public enum Outcome: Hashable, Sendable {
        /// The entries were accepted; without secrets.
        case submitted(Entries)
        /// The user has left the form.
        case cancelled
    }

    /// The heading, in the app's own words.
    public let title: Phrase
    /// The text below the title; nil for none.
    public var explanation: Phrase?
    /// The text fields, in reading order; empty by default.
    public var fields = Fields()
    /// The switches, made by `Control.toggle(_:_:isOn:detail:)`.
    public var switches: [Control] = []
    /// The buttons, made by `Control.button(_:_:_:isEnabled:)`; by default one that continues.
    public var buttons: [Control] = [.button(.submit, .primary, Phrase("button.continue"))]
    /// Whether the user may leave the form without an entry.
    public var isDismissible = true

    /// Creates a form.
    public init(title: Phrase) { self.title = title }

    /// The controls in reading order.
    public var content: [Control] {
        let text = explanation.map { [Control.text($0)] } ?? []
        let cancel: [Control] = isDismissible ? [.button(.cancel, .cancel, Phrase("button.cancel"))] : []
        return text + fields.controls + switches + buttons + cancel
    }

    /// Whether the user may leave the form without an entry.
    public var canBeDismissed: Bool { isDismissible }

    /// Sends the entries, or leaves the form.
    public mutating func press(_ control: ControlID) -> ScreenStep<Self> {
        guard buttons.contains(where: { $0.id == control }) else { return .finish(.cancelled) }
        let on = Set(switches.filter(\.isOn).map(\.id))
        return submitting { fields in
            var texts: [ControlID: FieldText] = [:]
            for field in fields.all { texts[field.id] = FieldText(field.value, isSecret: field.kind.isSecret) }
            return .submit(Entries(button: control, texts: texts, switches: on))
        }
    }

    /// Handles the change of a switch.
    public mutating func set(_ control: ControlID, to isOn: Bool) -> ScreenStep<Self> {
        for index in switches.indices where switches[index].id == control { switches[index].isOn = isOn }
        return .stay
    }

    /// Handles the response, and ends the screen.
    public mutating func receive(_ response: Response) -> ScreenStep<Self> {
        switch response {
        case .accepted(let entries): .finish(.submitted(entries.withoutSecrets))
        }
    }
}

extension ScreenModel where S == FormScreen {
    /// Creates the model of a form.
    ///
    /// - Parameters:
    ///   - form: The form.
    ///   - clock: The clock of locks.
    ///   - onFinish: Is called when the entries are accepted, or the user leaves the form.
    ///   - submit: Handles the entries; its error is shown.
    public convenience init(
        _ form: FormScreen, clock: WallClock = .system,
        onFinish: @escaping @MainActor (FormScreen.Outcome) -> Void = { _ in },
        submit: @escaping @Sendable (FormScreen.Entries) async throws -> Void
    ) {
        self.init(form, clock: clock, onFinish: onFinish) { request in
            switch request {
            case .submit(let entries):
                try await submit(entries)
                return .accepted(entries.withoutSecrets)
            }
        }
    }
}
