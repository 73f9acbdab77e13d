// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
public import SwiftUI

/// The change of the password of a signed-in user.
public struct ChangePasswordView<Row: View>: View {
    private let model: ChangePasswordModel
    private let row: (Control, ControlView) -> Row

    /// Creates the view of a model; `row` replaces or decorates the standard view of a control.
    public init(_ model: ChangePasswordModel, @ViewBuilder row: @escaping (Control, ControlView) -> Row) {
        self.model = model
        self.row = row
    }

    /// The view.
    public var body: some View {
        ScreenForm(model, row: row)
    }
}

extension ChangePasswordView where Row == ControlView {
    /// Creates the view of a model.
    public init(_ model: ChangePasswordModel) {
        self.init(model) { _, standard in standard }
    }
}

#Preview {
    ChangePasswordView(ChangePasswordModel(ChangePasswordScreen()) { _ in throw ScreenFailure(.offline) })
}
#endif
