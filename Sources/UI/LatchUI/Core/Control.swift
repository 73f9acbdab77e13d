// SPDX-License-Identifier: Apache-2.0

public import LatchAccounts
public import LatchFoundation
public import LatchTexts

/// A part of a screen, independent of its rendering in SwiftUI, in a terminal, or in an accessibility test.
///
/// A screen's controls are in reading order, which is also the order of the keyboard and of VoiceOver.
public struct Control: Hashable, Sendable, Identifiable {
    /// The kind of a control.
    public enum Kind: Hashable, Sendable {
        case heading
        /// A paragraph.
        case text
        /// A notice, which is announced when it appears.
        case notice(NoticeStyle)
        /// A text field.
        case field(FieldKind)
        case button(ButtonRole)
        /// A switch.
        case toggle
        /// An entry of a list or a value with its name; ``Control/detail`` is its second text.
        case row
        /// A text to copy, such as a recovery code, in a monospaced font.
        case code
        /// A button that copies its text, where the system has a pasteboard.
        case copy
        /// A QR code of its text, where the system can draw one.
        case qrCode
        /// A link to a page, or to another app; ``Control/url`` is its target.
        case link
        /// A progress indicator of a running request.
        case progress
    }

    /// The meaning of a notice.
    public enum NoticeStyle: String, Hashable, Sendable, CaseIterable {
        /// A piece of news.
        case information
        case success
        /// A state that needs attention.
        case warning
        case failure
    }

    /// The importance of a button.
    public enum ButtonRole: String, Hashable, Sendable, CaseIterable {
        /// The main button of the screen, which the return key presses.
        case primary
        /// An alternative to the primary button.
        case secondary
        /// A button that leads to another screen, shown as a link.
        case link
        /// A button that deletes or ends something.
        case destructive
        /// A button that leaves the screen, or ends its request.
        case cancel
    }

    /// The trait of a control for assistive technologies.
    public enum Trait: String, Hashable, Sendable, CaseIterable {
        /// A heading, to which users jump.
        case header
        case staticText
        /// A field whose text is read aloud.
        case textField
        /// A field whose text is not read aloud.
        case secureTextField
        case button
        case link
        case image
        /// A switch.
        case toggle
        /// A value that changes by itself.
        case updatesFrequently
    }

    /// The identifier, which is unique on the screen.
    public let id: ControlID
    /// What the control is; with it come the role, the style or the content.
    public let kind: Kind
    /// The text of a button, the name of a field, the sentence of a notice.
    public var label: Phrase
    /// The second text of a row, such as its value; nil for none.
    public var detail: Phrase?
    /// The problem with a field's text; nil if it has none.
    public var problem: Phrase?
    /// The help below the name of a field; nil for none.
    public var hint: Phrase?
    /// The meaning of a field's text for AutoFill; nil for none.
    public var contentType: TextContentType?
    /// The label of the return key in a field.
    public var returnKey = ReturnKey.go
    /// The identity provider shown on a sign-in button; nil for any other control.
    public var provider: IdentityProvider?
    /// The name of the system symbol (SF Symbols) of an app's button; nil for none.
    public var symbol: String?
    /// The text of a field or a code, the text to copy or to draw, or the URL of a link.
    public var text = FieldText()
    /// Whether a switch is on, or a row is selected.
    public var isOn = false
    /// Whether the control takes input.
    public var isEnabled: Bool
    /// Whether the control began the running request.
    public var isBusy = false
    /// Whether a field's secret is shown, which ``ScreenInput/reveal(_:_:)`` changes.
    public var isRevealed = false
    /// The buttons of a row.
    public var actions: [Control] = []

    /// Creates a control; texts, notices and progress take no input.
    public init(_ id: ControlID, _ kind: Kind, _ label: Phrase, detail: Phrase? = nil) {
        self.id = id
        self.kind = kind
        self.label = label
        self.detail = detail
        switch kind {
        case .field, .button, .toggle, .link, .copy: isEnabled = true
        case .heading, .text, .notice, .row, .code, .qrCode, .progress: isEnabled = false
        }
        if case .field(let kind) = kind { contentType = kind.contentType }
    }

    /// The label for assistive technologies, with a field's problem, since hints are read late or not at all.
    public var spokenLabel: Phrase {
        problem.map { Phrase("field.spoken", .phrase(label), .phrase($0)) } ?? label
    }

    /// The target of a link; nil for any other control.
    public var url: URL? { kind == .link ? URL(string: text.value) : nil }

    /// The trait for assistive technologies.
    public var trait: Trait {
        switch kind {
        case .heading: .header
        case .text, .notice, .row, .code: .staticText
        case .field(let kind): kind.isMasked && !isRevealed ? .secureTextField : .textField
        case .button, .copy: .button
        case .qrCode: .image
        case .toggle: .toggle
        case .link: .link
        case .progress: .updatesFrequently
        }
    }

    /// The control and the buttons of its row, in reading order.
    public var withActions: [Control] { [self] + actions }
}

extension Control {
    /// Returns a button, which is pressed by its identifier.
    public static func button(
        _ id: ControlID, _ role: ButtonRole, _ label: Phrase, isEnabled: Bool = true
    ) -> Control {
        var button = Control(id, .button(role), label)
        button.isEnabled = isEnabled
        return button
    }

    /// Returns a switch.
    public static func toggle(_ id: ControlID, _ label: Phrase, isOn: Bool, detail: Phrase? = nil) -> Control {
        var toggle = Control(id, .toggle, label, detail: detail)
        toggle.isOn = isOn
        return toggle
    }

    /// Returns an entry of a list with its buttons.
    public static func row(
        _ id: ControlID, _ label: Phrase, detail: Phrase? = nil, isOn: Bool = false, actions: [Control] = []
    ) -> Control {
        var row = Control(id, .row, label, detail: detail)
        row.isOn = isOn
        row.actions = actions
        return row
    }

    /// Returns a notice, which is announced to users of assistive technologies.
    public static func notice(_ style: NoticeStyle, _ label: Phrase, id: ControlID = .notice) -> Control {
        Control(id, .notice(style), label)
    }

    /// Returns a text to copy.
    public static func code(_ id: ControlID, _ label: Phrase, _ text: FieldText) -> Control {
        showing(text, Control(id, .code, label))
    }

    /// Returns a button that copies a text.
    public static func copy(_ id: ControlID, _ label: Phrase, _ text: FieldText) -> Control {
        showing(text, Control(id, .copy, label))
    }

    /// Returns a QR code of a text, such as the link that sets up an authenticator app.
    public static func qrCode(_ id: ControlID, _ label: Phrase, _ text: FieldText) -> Control {
        showing(text, Control(id, .qrCode, label))
    }

    private static func showing(_ text: FieldText, _ control: Control) -> Control {
        var control = control
        control.text = text
        return control
    }

    /// Returns a link to a page.
    public static func link(_ id: ControlID, _ label: Phrase, to url: URL) -> Control {
        showing(FieldText(url.absoluteString), Control(id, .link, label))
    }

    /// Returns a paragraph.
    public static func text(_ label: Phrase, id: ControlID = .explanation) -> Control { Control(id, .text, label) }
}
