// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
import LatchTexts
public import SwiftUI

/// A control as SwiftUI shows it, with its identifier and its state for assistive technologies.
public struct ControlView: View {
    private let control: Control
    private let sender: ControlSender
    private let focus: FocusState<ControlID?>.Binding?
    @Environment(\.authTheme) private var theme
    @Environment(\.authTexts) private var texts

    /// Creates the view of a control, whose field takes part in a form's focus.
    public init(_ control: Control, sender: ControlSender, focus: FocusState<ControlID?>.Binding? = nil) {
        self.focus = focus
        self.control = control
        self.sender = sender
    }

    /// The view for the control's kind, disabled as the control is.
    public var body: some View {
        content
            .font(theme.bodyFont)
            .disabled(isInteractive && !control.isEnabled)
    }

    private var isInteractive: Bool {
        switch control.kind {
        case .field, .button, .toggle, .link, .copy: true
        case .heading, .text, .notice, .row, .code, .qrCode, .progress: false
        }
    }

    @ViewBuilder private var content: some View {
        switch control.kind {
        case .heading:
            Text(texts(control.label))
                .font(control.id == .title ? theme.titleFont : theme.bodyFont.bold())
                .foregroundStyle(theme.text)
                .accessibilityAddTraits(.isHeader)
                .accessibilityIdentifier(control.id.description)
        case .text:
            Text(texts(control.label))
                .foregroundStyle(theme.secondaryText)
                .accessibilityIdentifier(control.id.description)
        case .notice(let style): NoticeBanner(texts(control.label), style: style, id: control.id)
        case .field(let kind): AuthField(control, kind: kind, sender: sender, focus: focus)
        case .button(let role): AuthButton(control, role: role, sender: sender)
        case .toggle: AuthToggle(control, sender: sender, focus: focus)
        case .row: ControlRow(control, sender: sender)
        case .code: CodeText(control)
        case .copy: CopyButton(control: control)
        case .qrCode: QRCodeView(control: control)
        case .link:
            if let url = control.url, url.isOpenable {
                Link(texts(control.label), destination: url)
                    .accessibilityIdentifier(control.id.description)
            }
        case .progress:
            ProgressView(texts(control.label))
                .frame(maxWidth: .infinity)
                .accessibilityIdentifier(control.id.description)
        }
    }
}
#endif
