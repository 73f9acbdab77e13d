// SPDX-License-Identifier: Apache-2.0

extension ScreenMachine {
    /// Returns the input of the return key in a field: focus the next empty field, or press the primary button.
    ///
    /// It is nil while no control takes input.
    public func returnKey(in field: ControlID) -> ScreenInput? {
        guard activity == .idle else { return nil }
        let rest = screen.fields.all.drop { $0.id != field }.dropFirst()
        if let next = rest.first(where: \.text.value.isEmpty) { return .focus(next.id) }
        return controls.first { $0.kind == .button(.primary) && $0.isEnabled }.map { .press($0.id) }
    }
}

extension ScreenModel {
    /// Handles the return key in a field.
    public func pressReturn(in field: ControlID) {
        if let input = machine.returnKey(in: field) { send(input) }
    }
}
