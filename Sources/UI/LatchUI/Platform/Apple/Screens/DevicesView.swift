// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
public import SwiftUI

/// The devices on which the user is signed in, with this one first.
public struct DevicesView<Row: View>: View {
    private let model: DevicesModel
    private let row: (Control, ControlView) -> Row

    /// Creates the view of a model; `row` replaces or decorates the standard view of a control.
    public init(_ model: DevicesModel, @ViewBuilder row: @escaping (Control, ControlView) -> Row) {
        self.model = model
        self.row = row
    }

    /// The view.
    public var body: some View {
        ScreenForm(model, row: row)
            
    }
}

extension DevicesView where Row == ControlView {
    /// Creates the view of a model.
    public init(_ model: DevicesModel) {
        self.init(model) { _, standard in standard }
    }
}

#Preview {
    DevicesView(DevicesModel(DevicesScreen()) { _ in .loaded([]) })
}
#endif
