// SPDX-License-Identifier: Apache-2.0

public import PortableFoundation

extension MessageStorage {
    /// A text.
    public subscript(string slot: Int) -> String {
        get {
            guard let entry = entry(slot, .string) else { return "" }
            return (object.memory + Int(entry.offset)).at(String?.self).pointee ?? defaultText(slot)
        }
        set {
            guard let entry = entry(slot, .string) else { return }
            let memory = own()
            memory.note(entry, object.table)
            // A field that does not know whether it was set holds no empty text, so that equal messages look the same.
            let value = entry.presence == .implicit && newValue.isEmpty ? nil : newValue
            (memory + Int(entry.offset)).at(String?.self).pointee = value
        }
    }

    /// A text that may be absent.
    public subscript(optionalString slot: Int) -> String? {
        get { has(slot) ? self[string: slot] : nil }
        set { if let newValue { self[string: slot] = newValue } else { clear(slot) } }
    }

    /// A run of bytes.
    public subscript(bytes slot: Int) -> Data {
        get {
            guard let entry = entry(slot, .bytes) else { return Data() }
            return (object.memory + Int(entry.offset)).at(Data?.self).pointee ?? defaultBytes(slot)
        }
        set {
            guard let entry = entry(slot, .bytes) else { return }
            let memory = own()
            memory.note(entry, object.table)
            let value = entry.presence == .implicit && newValue.isEmpty ? nil : newValue
            (memory + Int(entry.offset)).at(Data?.self).pointee = value
        }
    }

    /// A run of bytes that may be absent.
    public subscript(optionalBytes slot: Int) -> Data? {
        get { has(slot) ? self[bytes: slot] : nil }
        set { if let newValue { self[bytes: slot] = newValue } else { clear(slot) } }
    }

    private func defaultText(_ slot: Int) -> String {
        guard case .text(let text)? = layout.fields[slot].defaultValue else { return "" }
        return text
    }

    private func defaultBytes(_ slot: Int) -> Data {
        guard case .bytes(let bytes)? = layout.fields[slot].defaultValue else { return Data() }
        return bytes
    }
}
