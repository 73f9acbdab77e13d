// SPDX-License-Identifier: Apache-2.0

/// An input of a form, with its label, as browsers, password managers and screen readers know it.
package struct HTMLField: Sendable {
    /// The name in the form, and the id in the page.
    package let name: String
    /// The text above the input.
    package let label: String
    /// A text below the label that says what to enter.
    private var hint: String?
    /// The text that the input holds at first.
    private var value = ""
    /// The attributes that the kind of the input needs, as HTML.
    private let attributes: String
    /// Whether the form is sent without the input being shown.
    private var isHidden = false

    /// Whether the input is the next one to fill in.
    var isEmpty: Bool { value.isEmpty && !isHidden }

    private init(_ name: String, _ label: String, _ attributes: String) {
        self.name = name
        self.label = label
        self.attributes = attributes
    }

    /// Returns the field of an address or a user name.
    ///
    /// - Parameter offersPasskeys: Whether the browser offers passkeys in it, to a script that asks for them.
    package static func username(
        _ name: String = "name", label: String, value: String = "", offersPasskeys: Bool = false
    ) -> HTMLField {
        var field = HTMLField(
            name, label,
            #"type="text" autocomplete="username\#(offersPasskeys ? " webauthn" : "")" autocapitalize="none" spellcheck="false" maxlength="320" required"#
        )
        field.value = value
        return field
    }

    /// Returns the field of an e-mail address.
    package static func email(label: String, value: String = "") -> HTMLField {
        var field = HTMLField(
            "email", label,
            #"type="email" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="254" required"#)
        field.value = value
        return field
    }

    /// Returns a hidden field of the account's address, which tells password managers whose password is entered.
    package static func hiddenUsername(_ value: String) -> HTMLField {
        var field = HTMLField("username", "", #"type="text" autocomplete="username" readonly hidden"#)
        field.value = value
        field.isHidden = true
        return field
    }

    /// Returns the field of an account's password.
    package static func password(label: String) -> HTMLField {
        HTMLField("password", label, #"type="password" autocomplete="current-password" required"#)
    }

    /// Returns the field of a new password.
    package static func newPassword(_ name: String = "password", label: String, hint: String) -> HTMLField {
        var field = HTMLField(name, label, #"type="password" autocomplete="new-password" minlength="8" required"#)
        field.hint = hint
        return field
    }

    /// Returns the field of the code that another device shows.
    package static func userCode(_ code: String, label: String) -> HTMLField {
        var field = HTMLField(
            "user_code", label,
            #"type="text" autocomplete="off" autocapitalize="characters" spellcheck="false" maxlength="20" class="code" required"#
        )
        field.value = code
        return field
    }

    /// Returns the field of a code of the second factor, or of a recovery code, which has letters as well.
    package static func oneTimeCode(label: String) -> HTMLField { code(label: label, inputMode: "text") }

    /// Returns the field of a code that was mailed.
    package static func mailedCode(label: String) -> HTMLField { code(label: label, inputMode: "numeric") }

    private static func code(label: String, inputMode: String) -> HTMLField {
        HTMLField(
            "code", label,
            #"type="text" inputmode="\#(inputMode)" autocomplete="one-time-code" autocapitalize="none" spellcheck="false" maxlength="40" required"#
        )
    }

    /// Returns the label and the input.
    ///
    /// - Parameters:
    ///   - isInvalid: Whether the problem of the page, the element with the id `problem`, is one of this input.
    ///   - hasFocus: Whether the input has the focus when the page opens.
    func html(isInvalid: Bool, hasFocus: Bool) -> String {
        let described = [isInvalid ? "problem" : nil, hint.map { _ in "\(name)-hint" }].compactMap(\.self)
        let states = [
            value.isEmpty ? nil : #"value="\#(HTMLContext.attribute.escape(value))""#,
            isInvalid ? #"aria-invalid="true""# : nil,
            described.isEmpty ? nil : #"aria-describedby="\#(described.joined(separator: " "))""#,
            hasFocus ? "autofocus" : nil,
        ].compactMap(\.self).map { " \($0)" }.joined()
        let input = #"<input id="\#(name)" name="\#(name)" \#(attributes)\#(states)>"#
        guard !isHidden else { return "\(input)\n" }
        let advice = hint.map { "<p class=\"hint\" id=\"\(name)-hint\">\(HTMLContext.text.escape($0))</p>\n" } ?? ""
        return "<label for=\"\(name)\">\(HTMLContext.text.escape(label))</label>\n\(advice)\(input)\n"
    }
}
