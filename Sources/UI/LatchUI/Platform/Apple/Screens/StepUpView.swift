// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
public import SwiftUI

/// The password once more, and a code where the account has one, for what a server protects more.
public struct StepUpView<Row: View>: View {
    private let model: StepUpModel
    private let row: (Control, ControlView) -> Row

    /// Creates the view of a model; `row` replaces or decorates the standard view of a control.
    public init(_ model: StepUpModel, @ViewBuilder row: @escaping (Control, ControlView) -> Row) {
        self.model = model
        self.row = row
    }

    /// The view.
    public var body: some View {
        ScreenForm(model, row: row)
    }
}

extension StepUpView where Row == ControlView {
    /// Creates the view of a model.
    public init(_ model: StepUpModel) {
        self.init(model) { _, standard in standard }
    }
}

#Preview {
    StepUpView(StepUpModel(StepUpScreen()) { _ in .authenticated })
}
#endif
