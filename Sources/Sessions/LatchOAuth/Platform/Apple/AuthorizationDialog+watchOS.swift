// SPDX-License-Identifier: Apache-2.0

#if os(watchOS)
extension AuthorizationDialog {
    /// Leaves the place of the dialog to the watch.
    func place() {}

    /// Leaves the dialog to the user: a watch closes none for an app.
    func cancel() {}
}
#endif
