// SPDX-License-Identifier: Apache-2.0

#if os(watchOS)
extension AuthorizationDialog {
    /// Does nothing: the watch chooses the place of the dialog.
    func place() {}

    /// Does nothing: an app cannot close a dialog on a watch.
    func cancel() {}
}
#endif
