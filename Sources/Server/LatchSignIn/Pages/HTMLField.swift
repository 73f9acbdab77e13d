// SPDX-License-Identifier: Apache-2.0

/// An input of a form with its label, marked up for browsers, password managers and screen readers.
package struct HTMLField: Sendable {
    /// The name in the form, and the id in the page.
    package let name: String
    /// The text above the input.
    package let label: String
    /// A text below the label that says what to enter.
    private var hint: String?
    /// The initial text of the input.
    private var value = ""
    /// The attributes that this kind of input needs, as HTML.
    private let attributes: String
    private var kind = Kind.line
    /// The path of the script that changes the hint; nil for a hint that stays.
    private(set) var script: String?

    private enum Kind: Sendable {
        case line, lines
        /// Part of the form but not shown.
        case hidden
        /// A box before its label, which needs no text.
        case box
        case choice([(value: String, label: String)])
    }

    /// Whether the input is the next one to fill in.
    var isEmpty: Bool {
        switch kind {
        case .line, .lines: value.isEmpty
        case .hidden, .box, .choice: false
        }
    }

    private init(_ name: String, _ label: String, _ attributes: String) {
        self.name = name
        self.label = label
        self.attributes = attributes
    }

    /// Returns the field for an email address or a user name.
    ///
    /// - Parameter offersPasskeys: Whether the browser offers passkeys in it, when a script asks for them.
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

    /// Returns the field for an email address.
    package static func email(label: String, value: String = "") -> HTMLField {
        var field = HTMLField(
            "email", label,
            #"type="email" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="254" required"#)
        field.value = value
        return field
    }

    /// Returns the field for another address of an account, which password managers do not fill in with a user name.
    package static func newAddress(label: String, value: String) -> HTMLField {
        var field = HTMLField(
            "email", label,
            #"type="email" autocomplete="email" autocapitalize="none" spellcheck="false" maxlength="254" required"#)
        field.value = value
        return field
    }

    /// Returns a hidden field with the account's address, which tells password managers whose password is entered.
    package static func hiddenUsername(_ value: String) -> HTMLField {
        var field = HTMLField("username", "", #"type="text" autocomplete="username" readonly hidden"#)
        field.value = value
        field.kind = .hidden
        return field
    }

    /// Returns a value that the form sends back, which its user does not see.
    package static func hidden(_ name: String, _ value: String) -> HTMLField {
        var field = HTMLField(name, "", #"type="hidden""#)
        (field.value, field.kind) = (value, .hidden)
        return field
    }

    /// Returns the field for an account's password.
    package static func password(label: String) -> HTMLField {
        HTMLField("password", label, #"type="password" autocomplete="current-password" required"#)
    }

    /// Returns the field for a new password.
    ///
    /// - Parameters:
    ///   - advice: What the page says while the user types a common password, and another one that is long enough.
    ///   - script: The path of the script that says it.
    package static func newPassword(
        _ name: String = "password", label: String, hint: String, advice: (common: String, accepted: String),
        script: String
    ) -> HTMLField {
        let escape = HTMLContext.attribute.escape
        var field = HTMLField(
            name, label,
            #"type="password" autocomplete="new-password" minlength="8" required data-common="\#(escape(advice.common))" data-accepted="\#(escape(advice.accepted))""#
        )
        (field.hint, field.script) = (hint, script)
        return field
    }

    /// Returns the field for the name of a person, which may stay empty.
    package static func personName(label: String, hint: String, value: String = "") -> HTMLField {
        var field = HTMLField("name", label, #"type="text" autocomplete="name" maxlength="200""#)
        (field.hint, field.value) = (hint, value)
        return field
    }

    /// Returns the field for the name of something that is not a person.
    package static func title(_ name: String, label: String, hint: String, value: String) -> HTMLField {
        var field = HTMLField(name, label, #"type="text" autocomplete="off" maxlength="200""#)
        (field.hint, field.value) = (hint, value)
        return field
    }

    /// Returns a field of one line.
    ///
    /// - Parameter inputMode: The keyboard of a phone: `text` or `decimal`.
    package static func line(
        _ name: String, label: String, value: String, maximum: Int, inputMode: String = "text"
    ) -> HTMLField {
        var field = HTMLField(
            name, label, #"type="text" inputmode="\#(inputMode)" autocomplete="off" maxlength="\#(maximum)""#)
        field.value = value
        return field
    }

    package static func passkeyName(label: String, value: String) -> HTMLField {
        var field = HTMLField("name", label, #"type="text" autocomplete="off" maxlength="100" required"#)
        field.value = value
        return field
    }

    /// Returns the field of a search.
    package static func search(_ name: String, label: String, value: String) -> HTMLField {
        var field = HTMLField(
            name, label, #"type="search" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="200""#)
        field.value = value
        return field
    }

    /// Returns the field of an identifier of programs.
    package static func identifier(_ name: String, label: String, value: String) -> HTMLField {
        var field = HTMLField(
            name, label, #"type="text" autocomplete="off" autocapitalize="none" spellcheck="false" required"#)
        field.value = value
        return field
    }

    /// Returns the field of several lines.
    package static func lines(_ name: String, label: String, hint: String, value: String, rows: Int = 3) -> HTMLField {
        var field = HTMLField(
            name, label, #"rows="\#(rows)" autocomplete="off" autocapitalize="none" spellcheck="false""#)
        (field.hint, field.value, field.kind) = (hint, value, .lines)
        return field
    }

    /// Returns a list of options, each with its value.
    package static func choice(
        _ name: String, label: String, options: [(value: String, label: String)], value: String
    ) -> HTMLField {
        var field = HTMLField(name, label, "")
        (field.kind, field.value) = (.choice(options), value)
        return field
    }

    /// Returns a box that the user may check.
    package static func box(_ name: String, label: String, isChecked: Bool) -> HTMLField {
        var field = HTMLField(name, label, #"type="checkbox" value="yes"\#(isChecked ? " checked" : "")"#)
        field.kind = .box
        return field
    }

    /// Returns a box that the user must check.
    package static func requiredBox(_ name: String, label: String) -> HTMLField {
        var field = HTMLField(name, label, #"type="checkbox" value="yes" required"#)
        field.kind = .box
        return field
    }

    /// Returns the field for the code that another device shows.
    package static func userCode(_ code: String, label: String) -> HTMLField {
        var field = HTMLField(
            "user_code", label,
            #"type="text" autocomplete="off" autocapitalize="characters" spellcheck="false" maxlength="20" class="code" required"#
        )
        field.value = code
        return field
    }

    /// Returns the field of a phone number with its country code.
    package static func phone(_ value: String, label: String) -> HTMLField {
        var field = HTMLField("phone", label, #"type="tel" autocomplete="tel" maxlength="64" required"#)
        field.value = value
        return field
    }

    /// Returns the field for a code of the second factor or for a recovery code, which also has letters.
    package static func oneTimeCode(label: String) -> HTMLField { code(label: label, inputMode: "text") }

    /// Returns the field for a code from an email or a text message.
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
    ///   - isInvalid: Whether the page's problem, the element with the ID `problem`, concerns this input.
    ///   - hasFocus: Whether the input has the focus when the page opens.
    func html(isInvalid: Bool, hasFocus: Bool) -> String {
        let escape = HTMLContext.text.escape
        let described = [isInvalid ? "problem" : nil, hint.map { _ in "\(name)-hint" }].compactMap(\.self)
        let states = [
            isInvalid ? #"aria-invalid="true""# : nil,
            described.isEmpty ? nil : #"aria-describedby="\#(described.joined(separator: " "))""#,
            hasFocus ? "autofocus" : nil,
        ].compactMap(\.self).map { " \($0)" }.joined()
        let start = #"id="\#(name)" name="\#(name)" \#(attributes)"#
        let text = value.isEmpty ? "" : #" value="\#(HTMLContext.attribute.escape(value))""#
        let live = script == nil ? "" : #" aria-live="polite""#
        let advice = hint.map { "<p class=\"hint\" id=\"\(name)-hint\"\(live)>\(escape($0))</p>\n" } ?? ""
        let head = "<label for=\"\(name)\">\(escape(label))</label>\n\(advice)"
        switch kind {
        case .line: return "\(head)<input \(start)\(text)\(states)>\n"
        case .hidden: return "<input \(start)\(text)>\n"
        case .box: return "<label class=\"box\"><input \(start)\(states)> \(escape(label))</label>\n"
        // A line feed at the beginning is not part of the value (HTML §13.1.2.5).
        case .lines: return "\(head)<textarea \(start)\(states)>\n\(escape(value))</textarea>\n"
        case .choice(let options):
            let list = options.map { option in
                let state = option.value == value ? " selected" : ""
                return #"<option value="\#(HTMLContext.attribute.escape(option.value))"\#(state)>"#
                    + "\(escape(option.label))</option>"
            }
            return "\(head)<select \(start)\(states)>\(list.joined())</select>\n"
        }
    }
}
