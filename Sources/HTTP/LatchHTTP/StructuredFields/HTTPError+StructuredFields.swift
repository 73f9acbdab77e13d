// SPDX-License-Identifier: Apache-2.0

extension HTTPError {
    /// A field is not the item, list or dictionary that it has to be (RFC 9651 §4.2: then all of it is ignored).
    public static let malformedStructuredField = HTTPError.malformedStructuredField("its form is wrong", at: 0)

    /// A structured value has no spelling: a number too large, a string with other characters than printable ASCII.
    public static let unwritableStructuredField = HTTPError.unwritableStructuredField("a value has no spelling")

    /// Says what is wrong and where; nothing of the field, which may hold a secret.
    package static func malformedStructuredField(_ why: String, at offset: Int) -> HTTPError {
        HTTPError(
            code: "malformedStructuredField", message: "A structured field cannot be read: \(why) (at byte \(offset)).",
            hint: "Compare the field with RFC 9651.")
    }

    package static func unwritableStructuredField(_ why: String) -> HTTPError {
        HTTPError(
            code: "unwritableStructuredField", message: "A structured field cannot be written: \(why).",
            hint: "RFC 9651 §3.3 says what each kind of value may hold; a display string takes any text.")
    }
}
