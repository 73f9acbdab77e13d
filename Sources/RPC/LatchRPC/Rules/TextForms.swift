// SPDX-License-Identifier: Apache-2.0

/// Questions about texts that generated checks ask.
public enum TextForms {
    /// Whether a text is a mail address (https://html.spec.whatwg.org/#valid-e-mail-address).
    public static func isEmail(_ text: String) -> Bool { TextForm.email.accepts(text) }

    /// Whether a text is a UUID (RFC 9562 §4).
    public static func isUUID(_ text: String) -> Bool { TextForm.uuid.accepts(text) }

    /// Whether a text is a URI with its scheme (RFC 3986 §3).
    public static func isURI(_ text: String) -> Bool { TextForm.uri.accepts(text) }
}
