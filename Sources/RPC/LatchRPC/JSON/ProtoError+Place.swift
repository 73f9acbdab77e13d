// SPDX-License-Identifier: Apache-2.0

extension ProtoError {
    /// The same error, with the field in whose value it is; called from the inside to the outside.
    func inside(_ field: String) -> ProtoError {
        let opening = "In "
        let message =
            message.hasPrefix(opening) ? "\(field).\(message.dropFirst(opening.count))" : "\(field): \(message)"
        return ProtoError(code: code, message: opening + message, hint: hint)
    }
}
