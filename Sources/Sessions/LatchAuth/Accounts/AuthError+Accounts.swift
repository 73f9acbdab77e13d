// SPDX-License-Identifier: Apache-2.0

extension AuthError {
    /// There is no such account on this device.
    public static let unknownAccount = AuthError(
        code: "unknownAccount", message: "There is no such account on this device.",
        hint: "Look at the list of accounts, or sign in.")

    /// Another account of the list has the name.
    public static let accountNameTaken = AuthError(
        code: "accountNameTaken", message: "Another account on this device has this name.",
        hint: "Choose another name.")
}
