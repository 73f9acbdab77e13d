// SPDX-License-Identifier: Apache-2.0

func readFile(_ path: String) throws -> [UInt8] { placeholder() }
