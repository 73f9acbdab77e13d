// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Expectations
import Glibc
import LatchCrypto
import Testing

/// A key that nothing holds any longer leaves no copy in the memory of the process.
@Suite(.timeLimit(.minutes(2))) struct WipedKeyTests {
    /// Bytes that are found in memory without lying there themselves: each is kept inverted.
    private struct Trace {
        let inverted: [UInt8]

        init(_ bytes: some Sequence<UInt8>) { inverted = bytes.map { ~$0 } }

        init(_ key: SymmetricKey) { inverted = key.withUnsafeBytes { $0.map { ~$0 } } }

        /// The copies in the writable memory of the process, read in blocks that overlap by the length of a key.
        func copies() throws -> Int {
            let size = 1 << 20
            let block = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 8)
            defer { block.deallocate() }
            let memory = open("/proc/self/mem", O_RDONLY)
            guard memory >= 0, let maps = fopen("/proc/self/maps", "r") else { throw Unreadable() }
            defer {
                close(memory)
                fclose(maps)
            }
            var count = 0
            var line = [CChar](repeating: 0, count: 512)
            while fgets(&line, 512, maps) != nil {
                var end: UnsafeMutablePointer<CChar>?
                let lower = strtoul(line, &end, 16)
                let upper = end.map { strtoul($0 + 1, &end, 16) } ?? lower
                guard let permissions = end, permissions[2] == CChar(bitPattern: UInt8(ascii: "w")) else { continue }
                var place = lower
                while place < upper {
                    let wanted = min(size, Int(upper - place))
                    let read = pread(memory, block.baseAddress, wanted, off_t(place))
                    guard read > inverted.count else { break }
                    let own = UInt(bitPattern: block.baseAddress)
                    // What was read is not read again in this buffer, where it lies as well.
                    if !(place < own + UInt(size) && own < place + UInt(read)) { count += self.count(in: block, read) }
                    place += UInt(read < wanted || read == Int(upper - place) ? read : read - inverted.count)
                }
            }
            return count
        }

        private func count(in block: UnsafeMutableRawBufferPointer, _ length: Int) -> Int {
            guard let base = block.baseAddress else { return 0 }
            var (count, offset) = (0, 0)
            while offset <= length - inverted.count,
                let found = memchr(base + offset, Int32(~inverted[0]), length - inverted.count - offset + 1)
            {
                offset = base.distance(to: found)
                if (1..<inverted.count).allSatisfy({ block[offset + $0] == ~inverted[$0] }) { count += 1 }
                offset += 1
            }
            return count
        }
    }

    private struct Unreadable: Error {}

    @inline(never) private static func made(_ make: () throws -> SymmetricKey) throws -> Trace { Trace(try make()) }

    @Test func `Memory that is held is found`() throws {
        let key = SymmetricKey(size: .bits256)
        try expectEqual(Trace(key).copies(), 1)
        withExtendedLifetime(key) {}
    }

    @Test func `A random key leaves no copy`() throws {
        try expectEqual(Self.made { SymmetricKey(size: .bits256) }.copies(), 0)
    }

    @Test func `A derived key leaves no copy`() throws {
        let trace = try Self.made {
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: SymmetricKey(size: .bits256), salt: [1, 2, 3], info: [4], outputByteCount: 32)
        }
        try expectEqual(trace.copies(), 0)
    }

    @Test func `The intermediate key of a derivation leaves no copy`() throws {
        let secret = SymmetricKey(data: (0..<32).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 5) })
        let trace = Trace(HKDF<SHA256>.extract(inputKeyMaterial: secret, salt: [9]))
        // The code that was just computed is the caller's, who wipes it; its block is used again by what follows.
        _ = HKDF<SHA256>.deriveKey(inputKeyMaterial: secret, salt: [9], info: [1], outputByteCount: 32)
        let before = try trace.copies()
        _ = HKDF<SHA256>.deriveKey(inputKeyMaterial: secret, salt: [9], info: [1], outputByteCount: 32)
        #expect(try trace.copies() <= before)
    }

    @Test func `A key of a passphrase leaves no copy`() throws {
        let trace = try Self.made {
            var hash = try Argon2id.hash(
                password: [1, 2, 3], salt: SecureRandom.bytes(16),
                parameters: Argon2Parameters(memoryKiB: 64, passes: 1))
            return SymmetricKey(wiping: &hash)
        }
        try expectEqual(trace.copies(), 0)
    }
}
#endif
