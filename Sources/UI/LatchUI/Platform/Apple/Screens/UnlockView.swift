// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
public import SwiftUI

/// The lock of an app, which Face ID, Touch ID or the device's code opens.
public struct UnlockView<Row: View>: View {
    private let model: UnlockModel
    private let row: (Control, ControlView) -> Row

    /// Creates the view of a model; `row` replaces or decorates the standard view of a control.
    public init(_ model: UnlockModel, @ViewBuilder row: @escaping (Control, ControlView) -> Row) {
        self.model = model
        self.row = row
    }

    /// The view.
    public var body: some View {
        ScreenForm(model, row: row)
    }
}

extension UnlockView where Row == ControlView {
    /// Creates the view of a model.
    public init(_ model: UnlockModel) {
        self.init(model) { _, standard in standard }
    }
}

#Preview {
    UnlockView(UnlockModel(UnlockScreen(app: "Notes")) { _ in .authenticated })
}
#endif
