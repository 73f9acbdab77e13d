// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
public import LatchAuth
public import SwiftUI

/// A sheet that opens when a request requires the user to authenticate again.
struct StepUpSheet<Value: SessionCredential>: ViewModifier {
    let gate: SessionGateModel<Value>
    let model: StepUpModel

    func body(content: Content) -> some View {
        content
            .lockedSheet(isPresented: isPresented) {
                StepUpView(model)
                    .presentationDetents([.medium, .large])
            }
            .onChange(of: model.outcome) { if let outcome = model.outcome { gate.endStepUp(outcome) } }
    }

    private var isPresented: Binding<Bool> {
        Binding(get: { @MainActor in gate.isStepUpPresented }, set: { @MainActor in gate.isStepUpPresented = $0 })
    }
}

extension View {
    /// Shows the step-up of a gate's session in a sheet, whenever a request needs one.
    public func stepUpSheet<Value: SessionCredential>(
        _ gate: SessionGateModel<Value>, _ model: StepUpModel
    ) -> some View {
        modifier(StepUpSheet(gate: gate, model: model))
    }

    /// Offers a passkey in a sheet, while there is a model of it.
    public func passkeySheet(_ model: Binding<PasskeyModel?>) -> some View {
        lockedSheet(isPresented: Binding(model)) {
            if let shown = model.wrappedValue {
                PasskeyView(shown)
                    .onChange(of: shown.outcome) { if shown.outcome != nil { model.wrappedValue = nil } }
            }
        }
    }
}

extension Binding where Value == Bool {
    /// Creates a binding that is true while there is a value, and removes it with false.
    @MainActor
    fileprivate init<Wrapped: Sendable>(_ optional: Binding<Wrapped?>) {
        self.init(get: { optional.wrappedValue != nil }, set: { if !$0 { optional.wrappedValue = nil } })
    }
}
#endif
