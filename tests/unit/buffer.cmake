firn_test(buffer_bytes unit/buffer_bytes.c)
firn_test(buffer_reader unit/buffer_reader.c)
firn_test(buffer_writer unit/buffer_writer.c)
